//! Samples of interleaved rounds: per subject one value a round, shown as the median with its range.

/// Values of one subject, one a round.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<f64>);

impl Samples {
    /// Takes a round's value.
    pub fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The middle one; of an even number the mean of the two in the middle.
    pub fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        match sorted.len() {
            0 => f64::NAN,
            odd if odd % 2 == 1 => sorted[middle],
            _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
        }
    }

    /// `2.10 (2.05–2.31)`.
    pub fn shown(&self, decimals: usize) -> String {
        let low = self.0.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.0.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        format!("{:.decimals$} ({low:.decimals$}–{high:.decimals$})", self.median())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_in_the_middle_whatever_the_order() {
        let of = |values: &[f64]| Samples(values.to_vec());
        assert_eq!(of(&[9.0, 1.0, 2.0]).median(), 2.0);
        assert_eq!(of(&[4.0, 1.0, 2.0, 3.0]).median(), 2.5);
        assert_eq!(of(&[1.0, 2.0, 1.5]).shown(1), "1.5 (1.0–2.0)");
        assert!(of(&[]).median().is_nan());
    }
}
