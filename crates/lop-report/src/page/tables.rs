//! The work of the passes and the parameters that the engine learnt, as tables.

use maud::{Markup, html};

use crate::text;
use lop_engine::DepthRow;
use lop_passes::NO_DEPTH;
use lop_reduce::Report;

pub(super) fn passes(report: &Report) -> Markup {
    let most = report.passes.iter().map(|pass| pass.tests).max().unwrap_or(0).max(1);
    html! {
        div class="scroll" tabindex="0" role="group" aria-label="Passes" {
            table {
                thead { tr { th { "pass" } th { "tests" } th {} th { "accepted" } th { "bytes removed" } th { "tokens removed" } } }
                tbody {
                    @for pass in &report.passes {
                        tr {
                            th scope="row" { (pass.name) }
                            td { (text::count(pass.tests)) }
                            td class="bar" { (bar(pass.tests as f64 / most as f64)) }
                            td { (text::count(pass.accepted)) }
                            td { (text::count(pass.bytes)) }
                            td { (text::count(pass.tokens)) }
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn depths(rows: &[DepthRow]) -> Markup {
    html! {
        p class="lead" {
            "For each depth of the tree: the share of units that are needed, the probability that a unit is removable if the "
            "one before it is (P(u|u)), the bits of information in the pattern, and the tests against their lower bound."
        }
        div class="scroll" tabindex="0" role="group" aria-label="Statistics of the model, by depth" {
            table {
                thead {
                    tr {
                        th { "depth" } th { "lists" } th { "units" } th { "kept" } th { "P(needed)" } th {}
                        th { "P(u|u)" } th { "bits" } th { "tests" } th { "bound" } th { "÷ bound" }
                    }
                }
                tbody {
                    @for row in rows {
                        (depth(&if row.depth == NO_DEPTH { "flat".to_owned() } else { row.depth.to_string() }, row))
                    }
                }
                @if rows.len() > 1 { tfoot { (depth("all", &DepthRow::total(rows))) } }
            }
        }
    }
}

fn depth(name: &str, row: &DepthRow) -> Markup {
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
    html! {
        tr {
            th scope="row" { (name) }
            td { (text::count(row.lists)) }
            td { (text::count(row.units)) }
            td { (text::count(row.kept)) }
            td { (format!("{:.3}", row.needed_share)) }
            td class="bar" { (bar(row.needed_share)) }
            td { (or_dash(row.removable_after_removable.map(|share| format!("{share:.3}")))) }
            td { (format!("{:.1}", row.entropy_bits)) }
            td { (text::count(row.tests)) }
            td { (format!("{:.0}", row.lower_bound.ceil())) }
            td { (or_dash(row.tests_per_bound().map(|ratio| format!("{ratio:.2}")))) }
        }
    }
}

fn bar(share: f64) -> Markup {
    html! { span style=(format!("width: {:.1}%", 100.0 * share.clamp(0.0, 1.0))) {} }
}
