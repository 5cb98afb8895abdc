//! `--color`: when lop uses colours.

use clap::{Args, ValueEnum};

use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::OUTPUT;

/// `--color`.
#[derive(Debug, Args)]
pub struct ColorOption {
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true, help_heading = OUTPUT,
          add = SetBy::Project)]
    pub color: ColorArg,
}

impl ReduceOption for ColorOption {}

/// `--color`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorArg {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl From<ColorArg> for anstream::ColorChoice {
    fn from(arg: ColorArg) -> Self {
        match arg {
            ColorArg::Auto => Self::Auto,
            ColorArg::Always => Self::Always,
            ColorArg::Never => Self::Never,
        }
    }
}
