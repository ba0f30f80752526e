//! `plimsoll view` and `plimsoll render` where they have been left out: they say how to get them.

use anyhow::anyhow;
use clap::Args;

use super::Failure;

#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct AnyArguments {
    /// Told back
    #[arg(num_args = 0.., trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<String>,
}

pub fn explain(command: &str, arguments: &AnyArguments) -> Result<(), Failure> {
    let wanted = [&["plimsoll".to_owned(), command.to_owned()], arguments.rest.as_slice()].concat().join(" ");
    Err(Failure::BadInput(anyhow!(
        "found `{wanted}`, expected a plimsoll built with the feature \"viewer\", such as\n  \
         cargo install --locked --path . --features viewer"
    )))
}
