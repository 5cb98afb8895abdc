//! The yardsticks: published algorithms for one sequence, faithful to their sources.
