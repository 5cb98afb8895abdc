//! Markov chains of needed and removable units as sources that sequences are drawn from.

use lop_engine::Markov;
use rand::{Rng, RngExt};

/// Share of removable units and P(removable | removable) of the 23 sources that the engine is measured
/// on, from dense to sparse; sequences have 500 units there.
pub const CELLS: [(f64, f64); 23] = [
    (0.5, 0.5),
    (0.5, 0.75),
    (0.5, 0.95),
    (0.5, 0.99),
    (0.5, 0.999),
    (0.75, 0.75),
    (0.75, 0.95),
    (0.75, 0.99),
    (0.75, 0.999),
    (0.9, 0.9),
    (0.9, 0.95),
    (0.9, 0.99),
    (0.9, 0.999),
    (0.95, 0.95),
    (0.95, 0.99),
    (0.95, 0.999),
    (0.99, 0.99),
    (0.99, 0.999),
    (0.995, 0.995),
    (0.995, 0.999),
    (0.998, 0.998),
    (0.998, 0.999),
    (0.999, 0.999),
];

/// A sequence of `len` units from a source, `true` for needed, that starts in the stationary state.
pub fn sequence(source: Markov, len: usize, rng: &mut impl Rng) -> Vec<bool> {
    let mut p = source.share();
    (0..len)
        .map(|_| {
            let removable = rng.random::<f64>() < p;
            p = if removable { source.a } else { source.b };
            !removable
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use lop_engine::{Config, EvidenceView, Markov, Search, drive, monotone};

    use super::sequence;

    #[test]
    fn a_long_sequence_has_the_share_it_was_made_for() {
        let chain = Markov::from_share(0.9, 0.95);
        assert!((chain.share() - 0.9).abs() < 1e-12 && (chain.b - 0.45).abs() < 1e-12);
        let drawn = sequence(chain, 100_000, &mut ChaCha8Rng::seed_from_u64(3));
        let needed = drawn.iter().filter(|&&needed| needed).count();
        assert!((9_000..11_000).contains(&needed), "{needed}");
    }

    #[test]
    fn independent_units_have_an_entropy_each() {
        let coins = Markov::from_share(0.5, 0.5);
        assert!((coins.entropy(20) - 20.0).abs() < 1e-12);
        assert_eq!(coins.entropy(0), 0.0);
        assert!(Markov::from_share(0.5, 0.9).entropy(20) < 12.0);
    }

    #[test]
    fn the_code_length_is_the_entropy_of_the_source() {
        let chain = Markov::from_share(0.9, 0.95);
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let config = Config { theta: None, fixed_share: 0.0, ..Config::default() };
        let view = EvidenceView::among(&[chain], &Config::default());
        let mut bits = 0.0;
        for _ in 0..20 {
            let needed = sequence(chain, 500, &mut rng);
            let mut search = Search::new(500, &config, &view);
            drive(&mut search, |question| monotone(&needed, question));
            bits += search.take_evidence().code_length;
        }
        assert!((bits / (20.0 * chain.entropy(500)) - 1.0).abs() < 0.05, "{bits}");
    }
}
