//! The examples of library use, each of which has to come to what it promises.

#[path = "../../examples/custom_pass.rs"]
#[expect(dead_code, reason = "nothing calls `main` here")]
pub(crate) mod custom_pass;
#[path = "../../examples/fuzz_artifact.rs"]
#[expect(dead_code, reason = "nothing calls `main` here")]
mod fuzz_artifact;
#[path = "../../examples/proptest_regression.rs"]
#[expect(dead_code, reason = "nothing calls `main` here")]
mod proptest_regression;
#[path = "../../examples/remote_executor.rs"]
#[expect(dead_code, reason = "nothing calls `main` here")]
pub(crate) mod remote_executor;

#[test]
fn a_table_loses_the_columns_that_only_the_custom_pass_knows_of() {
    let [with, without] = custom_pass::run().expect("the table is interesting");
    assert_eq!(String::from_utf8_lossy(&with.best), "status\noverdrawn");
    let columns = with.passes.iter().find(|pass| pass.name == "cells").expect("it had its turn");
    assert!(columns.accepted > 0 && columns.tests > 0 && columns.bytes > 0, "{columns:?}");
    assert!(without.best.len() > with.best.len(), "{}", String::from_utf8_lossy(&without.best));
}

#[test]
fn a_fuzz_artifact_that_is_no_text_becomes_one_chunk() {
    let artifact = fuzz_artifact::artifact();
    assert!(std::str::from_utf8(&artifact).is_err());
    let report = fuzz_artifact::run(&artifact).expect("it is interesting");
    assert_eq!(report.best, *b"\xFF\xD8\xFF\xDA\x01\x30", "{:02x?}", report.best);
    assert_eq!(report.minimal, lop_reduce::Minimal::Char);
    assert!(report.tests.total() < 100, "{}", report.tests.total());
}

#[test]
fn a_failure_of_a_property_test_becomes_one_string() {
    let (failure, report, sizes) = proptest_regression::run().expect("the failure is interesting");
    assert_eq!(String::from_utf8_lossy(&report.best), r#""\" ""#, "{failure}");
    assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
    assert_eq!(sizes.last(), Some(&report.best.len()));
}

#[test]
fn a_payload_is_reduced_on_machines_elsewhere() {
    let report = remote_executor::run().expect("the payload is interesting");
    assert!(report.best.len() < 10, "{}", String::from_utf8_lossy(&report.best));
}
