//! Candidates that are provisionally taken for interesting. Where a test lies, one *interesting* is not enough to accept a
//! candidate, but the search need not wait for more: it goes on as if the candidate had been accepted. Its next
//! questions tell something of that candidate, too.
//!
//! ```text
//!  best ◄── provisional ◄── provisional ◄── asked next: all that is gone before is gone there as well
//!    ▲           │               │
//!    │           │               └─ doubtful: asked again, and taken back alone if it does not hold
//!    └───────────┘ sure enough: accepted, with all before it
//! ```
//!
//! A smaller text that is interesting makes it probable that the larger one is, from which it was made; one that is
//! refused makes it a little less probable. The sum of that and of a candidate's own answers decides, as elsewhere.

use std::collections::HashMap;

use super::Session;
use super::asked::Asked;
use super::attempt::Attempt;
use crate::engine::Verdict;
use crate::exec::key;
use crate::passes::each_once;
use crate::reduce::interrupt::Interrupt;
use crate::reduce::question_source::QuestionSource;
use crate::reduce::report::Ended;
use crate::reduce::trust::Trust;

/// Odds below which a candidate is asked about again before the search goes on from it. With 3 a run takes 7 % more
/// tests where one answer in ten is a lie, because more of them are asked about what is not interesting.
const DOUBTFUL: f64 = 8.0;
/// How many candidates are taken for interesting one on the other before the last is asked about again.
const MOST: usize = 16;

/// The evidence on a text from the odds of one made from it, as logarithms: such a text is interesting with odds of
/// `prior` if the text is, and not at all if it is not.
fn tells(prior: f64, weight: f64) -> f64 {
    let share = 1.0 / (1.0 + (-prior).exp());
    (share * weight.exp() + 1.0 - share).ln()
}

impl Session<'_, '_> {
    /// Takes a candidate for interesting that was called so and is not sure yet, if the source can go back.
    pub(super) fn takes_provisionally(
        &mut self,
        source: &mut dyn QuestionSource,
        asked: &mut HashMap<u64, Asked>,
        question: u64,
    ) -> bool {
        let is_due = self.executor.slots() == 1 && self.provisional.len() < MOST && self.may_wait();
        let prior = self.odds().ln();
        let Some(asking) = asked.get(&question).filter(|_| is_due) else { return false };
        if prior + self.weight_of(&asking.candidate.text) < DOUBTFUL.ln() {
            return false;
        }
        let Some(mark) = source.mark() else { return false };
        if source.observe(question, Verdict::Interesting) != Some(question) {
            source.go_back(mark);
            return false;
        }
        let asked = asked.remove(&question).expect("it was found above");
        let rules = source.rules().to_vec();
        self.provisional.push(Attempt { question, asked, rules, mark, prior, told: 0.0, decided: false });
        true
    }

    /// Takes in what was found out about a candidate made from the last attempt.
    pub(super) fn learn_from(&mut self, text: &[u8], verdict: Verdict) {
        if verdict != Verdict::Interesting && !self.provisional.is_empty() {
            let told = tells(self.odds().ln(), self.weight_of(text));
            if let Some(last) = self.provisional.last_mut() {
                last.told += told;
            }
        }
    }

    /// Accepts what is sure enough by now, or asks again about the last attempt if it is doubtful or nothing else is
    /// left to ask. `false` if there is nothing to do.
    pub(super) fn decide_provisional(
        &mut self,
        source: &mut dyn QuestionSource,
        asked: &mut HashMap<u64, Asked>,
        at_end: bool,
    ) -> Result<bool, Interrupt> {
        let odds = self.provisional_odds();
        let Some(last) = odds.last() else { return Ok(false) };
        if let Some(sure) = odds.iter().rposition(|&odds| Trust::accepts(odds)) {
            self.accept_attempts(sure)?;
        } else if at_end || *last < DOUBTFUL.ln() {
            self.ask_about_last(source, asked)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Logarithms of the odds of the attempts.
    fn provisional_odds(&self) -> Vec<f64> {
        let mut told = 0.0;
        let mut odds: Vec<f64> = Vec::with_capacity(self.provisional.len());
        for attempt in self.provisional.iter().rev() {
            let weight = self.weight_of(&attempt.asked.candidate.text) + attempt.told + told;
            odds.push(attempt.prior + weight);
            told = tells(attempt.prior, weight);
        }
        odds.reverse();
        odds
    }

    fn accept_attempts(&mut self, sure: usize) -> Result<(), Interrupt> {
        let later = self.provisional.split_off(sure + 1);
        let mut rules = Vec::new();
        let mut last = None;
        for attempt in std::mem::take(&mut self.provisional) {
            if !attempt.decided {
                self.note_found();
            }
            rules.extend(attempt.rules);
            last = Some(attempt.asked);
        }
        let result = last.map_or(Ok(()), |asked| self.accept(asked, &each_once(rules)));
        self.provisional = later;
        result
    }

    fn ask_about_last(
        &mut self,
        source: &mut dyn QuestionSource,
        asked: &mut HashMap<u64, Asked>,
    ) -> Result<(), Interrupt> {
        let Some(last) = self.provisional.last() else { return Ok(()) };
        let (text, odds, what) =
            (last.asked.candidate.text.clone(), (last.prior + last.told).exp(), last.asked.what.clone());
        let verdict = self.judge(&text, &what)?.verdict.ok_or(Interrupt::Ended(Ended::Cancelled))?;
        match self.hear(&text, verdict, false, odds)? {
            None => {}
            Some(Verdict::Interesting) => {
                if let Some(last) = self.provisional.last_mut() {
                    last.decided = true;
                }
            }
            Some(refusal) => {
                let weight = self.weight_of(&text);
                let Some(refused) = self.provisional.pop() else { return Ok(()) };
                if let Some(before) = self.provisional.last_mut() {
                    before.told += tells(refused.prior, weight + refused.told);
                }
                source.go_back(refused.mark);
                asked.clear();
                self.answer(source, asked, refused.question, refusal)?;
            }
        }
        Ok(())
    }

    /// The weight of the test's own answers on a text.
    fn weight_of(&self, text: &[u8]) -> f64 {
        self.answers_weigh(&key(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_from_a_text_tells_of_it_what_it_should() {
        for prior in [0.5, 0.1f64] {
            let prior = (prior / (1.0 - prior)).ln();
            assert!(tells(prior, 0.0).abs() < 1e-12, "no answer tells nothing");
            let (yes, no) = (tells(prior, 2.2), tells(prior, -2.2));
            assert!(0.0 < yes && yes < 2.2, "{yes}: less than an answer on the text itself");
            assert!(-2.2 < no && no < 0.0, "{no}: the smaller text may be refused for its own sake");
            assert!(-no < yes, "a refusal tells less than an interesting answer");
        }
        // One half: ½ · 9 + ½ = 5.
        assert!((tells(0.0, 9f64.ln()) - 5f64.ln()).abs() < 1e-12);
        assert!(tells(-20.0, -2.2).abs() < 1e-6, "what was refused anyhow tells nothing");
    }
}
