//! The program `plimsoll`.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    separate_large_buffers();
    #[cfg(unix)]
    report_files_too_large();
    plimsoll::cli::main()
}

/// Gives buffers of 256 kB and more pages of their own, which return to the system when the buffers grow or end. By default the C library raises this
/// limit to 32 MB as large buffers are freed, and gaps between growing buffers then take a fifth of the memory of a hundred thousand particles
/// (docs/performance.md). With 64 kB the C library would ask the system for pages in every step of `blocks`.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
fn separate_large_buffers() {
    // SAFETY: the limit may be set at any time.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 18);
    }
}

/// A file that exceeds the limit of the process becomes an error of its write, with the name of the file, instead of the end of the process.
#[cfg(unix)]
#[allow(unsafe_code)]
fn report_files_too_large() {
    // SAFETY: no handler is installed, the signal is only ignored.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}
