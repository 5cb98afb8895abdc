//! Several workers on one sequence: stretches of it that are swept at the same time (lanes), whether they depend on each
//! other, and questions ahead of their time (speculation).

pub(crate) mod endings;
pub(crate) mod independence;
pub(crate) mod lane;
pub(crate) mod prospects;
pub(crate) mod speculation;
