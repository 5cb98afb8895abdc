//! The names of signals: `SEGV`, `SIGSEGV`, `segv` and `11` mean the same.

/// A name that is not the name of a signal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{name}' is not a signal; give a number from 1 to {HIGHEST} or a name such as {}", examples())]
pub struct SignalError {
    /// The name as it was given.
    pub name: String,
}

/// The highest signal number of Linux (`SIGRTMAX`).
const HIGHEST: i32 = 64;

/// The number of the signal called `name`, with or without `SIG`, in any case, or the number itself.
///
/// # Errors
/// [`SignalError`] if there is no such signal on this platform.
pub fn signal_number(name: &str) -> Result<i32, SignalError> {
    let unknown = || SignalError { name: name.to_owned() };
    if let Ok(number) = name.parse::<i32>() {
        return if (1..=HIGHEST).contains(&number) { Ok(number) } else { Err(unknown()) };
    }
    let upper = name.to_ascii_uppercase();
    let short = upper.strip_prefix("SIG").unwrap_or(&upper);
    NAMES.iter().find(|(known, _)| &known["SIG".len()..] == short).map(|&(_, number)| number).ok_or_else(unknown)
}

/// Returns the name of a signal, such as `SIGSEGV`; `None` for real-time signals and unknown numbers.
#[must_use]
pub fn signal_name(number: i32) -> Option<&'static str> {
    NAMES.iter().find(|&&(_, known)| known == number).map(|&(name, _)| name)
}

fn examples() -> String {
    let names: Vec<&str> = NAMES.iter().take(6).map(|(name, _)| &name["SIG".len()..]).collect();
    names.join(", ")
}

/// Names and numbers; the numbers differ between platforms. The signals of bugs come first, because the error message
/// lists the first ones. If two names have the same number, the usual one comes first.
const NAMES: &[(&str, i32)] = {
    use rustix::process::Signal as S;
    &[
        ("SIGSEGV", S::SEGV.as_raw()),
        ("SIGABRT", S::ABORT.as_raw()),
        ("SIGFPE", S::FPE.as_raw()),
        ("SIGILL", S::ILL.as_raw()),
        ("SIGBUS", S::BUS.as_raw()),
        ("SIGTRAP", S::TRAP.as_raw()),
        ("SIGKILL", S::KILL.as_raw()),
        ("SIGTERM", S::TERM.as_raw()),
        ("SIGINT", S::INT.as_raw()),
        ("SIGQUIT", S::QUIT.as_raw()),
        ("SIGHUP", S::HUP.as_raw()),
        ("SIGPIPE", S::PIPE.as_raw()),
        ("SIGALRM", S::ALARM.as_raw()),
        ("SIGUSR1", S::USR1.as_raw()),
        ("SIGUSR2", S::USR2.as_raw()),
        ("SIGCHLD", S::CHILD.as_raw()),
        ("SIGCONT", S::CONT.as_raw()),
        ("SIGSTOP", S::STOP.as_raw()),
        ("SIGTSTP", S::TSTP.as_raw()),
        ("SIGTTIN", S::TTIN.as_raw()),
        ("SIGTTOU", S::TTOU.as_raw()),
        ("SIGURG", S::URG.as_raw()),
        ("SIGXCPU", S::XCPU.as_raw()),
        ("SIGXFSZ", S::XFSZ.as_raw()),
        ("SIGVTALRM", S::VTALARM.as_raw()),
        ("SIGPROF", S::PROF.as_raw()),
        ("SIGWINCH", S::WINCH.as_raw()),
        ("SIGIO", S::IO.as_raw()),
        ("SIGSYS", S::SYS.as_raw()),
        ("SIGIOT", S::ABORT.as_raw()),
    ]
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_name_is_the_same_signal() {
        for name in ["SEGV", "SIGSEGV", "sigsegv", "Segv", "11"] {
            assert_eq!(signal_number(name), Ok(11), "{name}");
        }
        assert_eq!(signal_number("iot"), signal_number("ABRT"));
    }

    #[test]
    fn what_is_no_signal_is_refused_with_examples() {
        for name in ["SEGFAULT", "", "SIG", "0", "-1", "65", "4294967307"] {
            let error = signal_number(name).expect_err("no such signal").to_string();
            assert!(error.contains("SEGV, ABRT") && error.contains(&format!("'{name}'")), "{error}");
        }
    }

    #[test]
    fn names_and_numbers_agree() {
        for &(name, number) in NAMES {
            assert_eq!(signal_number(name), Ok(number));
        }
        assert_eq!(signal_name(6), Some("SIGABRT"));
        assert_eq!(signal_name(0), None);
    }
}
