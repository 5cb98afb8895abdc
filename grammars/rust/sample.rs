use std::collections::{BTreeMap, HashMap as Map};
use std::fmt::{Debug};

/// A pair.
#[derive(Clone, Debug)]
pub struct Pair<'a, T: Default> {
    pub name: &'a str,
    parts: Vec<Option<T>>,
}

enum Shape {
    Round(f64),
    Square { side: u32 },
    None,
}

trait Area {
    const SIDES: usize = 4;
    fn area(&self) -> f64;
}

impl Area for Shape {
    fn area(&self) -> f64 {
        match self {
            Shape::Round(r) if *r > 1.0 => r * 3.14,
            Shape::Square { side } => f64::from(*side).powi(2),
            _ => 0.0,
        }
    }
}

impl<'a, T> Pair<'a, T>
where
    T: Default + Copy,
{
    fn first(&mut self, index: usize) -> Result<T, String> {
        let found = self.parts.get(index).and_then(|part| *part).unwrap_or_default();
        if index >= self.parts.len() {
            return Err(format!("no {index} in {}", self.name));
        } else if let Some(last) = self.parts.last_mut() {
            *last = None;
        }
        Ok(found)
    }
}

struct Holder<'a, T>(&'a T);

impl<'a, T> From<Holder<'a, T>> for Pair<'a, T>
where
    Pair<'a, T>: Debug,
{
    fn from(holder: Holder<'a, T>) -> Pair<'a, T> {
        let slow = async { holder };
        loop {}
    }
}

#[derive(Default)]
struct Holder<T>(T);

struct Meter {
    length: f64,
}

static LIMIT: [u8; 3] = [1, 2, 3];

mod inner {
    pub(crate) fn twice(x: i64) -> i64 {
        x << 1
    }
}

use inner::twice;

fn boxed(value: Option<u8>) -> Option<Box<u8>> {
    Some(Box::new(value?))
}

fn main() {
    let mut map: Map<&str, i32> = Map::new();
    let (a, b) = (1u8, 'c');
    let meter = Meter { length: 1.0 };
    let count = meter.length;
    count = a + 1;
    twice(count);
    for each in 0..10 {
        map.insert("key", each as i32 + i32::from(a));
    }
    if let Some(value) = map.get("key") {
        twice(*value);
    }
    'outer: loop {
        while map.len() > 3 {
            continue 'outer;
        }
        break;
    }
    let add = move |x: i64| -> i64 { crate::inner::twice(x) + 1 };
    unsafe { println!("{} {b} {:?}", add(2), LIMIT[0]) };
}
