//! `plimsoll view` and `plimsoll render` in a build without the viewer: print how to build it.

use anyhow::anyhow;
use clap::Args;

use super::Failure;

#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct AnyArguments {
    /// Repeated in the message
    #[arg(num_args = 0.., trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<String>,
}

pub fn explain(command: &str, arguments: &AnyArguments) -> Result<(), Failure> {
    let wanted = [&["plimsoll".to_owned(), command.to_owned()], arguments.rest.as_slice()].concat().join(" ");
    Err(Failure::BadInput(anyhow!(
        "`{wanted}` requires a build with the feature \"viewer\":\n  \
         cargo install --locked --path . --features viewer"
    )))
}
