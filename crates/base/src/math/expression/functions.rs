//! The functions of expressions. Operators are functions of the same name.

type Unary = fn(f64) -> f64;
type Binary = fn(f64, f64) -> f64;

const UNARY: [(&str, Unary); 20] = [
    ("-", |a| -a),
    ("abs", f64::abs),
    ("acos", f64::acos),
    ("asin", f64::asin),
    ("atan", f64::atan),
    ("ceil", f64::ceil),
    ("cos", f64::cos),
    ("cosh", f64::cosh),
    ("exp", f64::exp),
    ("floor", f64::floor),
    ("ln", f64::ln),
    ("log10", f64::log10),
    ("sign", sign),
    ("sin", f64::sin),
    ("sinh", f64::sinh),
    ("sqrt", f64::sqrt),
    ("step", step),
    ("tan", f64::tan),
    ("tanh", f64::tanh),
    ("trunc", f64::trunc),
];

const BINARY: [(&str, Binary); 9] = [
    ("+", |a, b| a + b),
    ("-", |a, b| a - b),
    ("*", |a, b| a * b),
    ("/", |a, b| a / b),
    ("^", f64::powf),
    ("atan2", f64::atan2),
    ("hypot", f64::hypot),
    ("max", f64::max),
    ("min", f64::min),
];

/// −1, 0 or 1.
fn sign(a: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a.signum() }
}

/// 1 from 0 on, 0 below.
fn step(a: f64) -> f64 {
    if a.is_nan() { a } else { f64::from(u8::from(a >= 0.0)) }
}

/// The function of one number with this name.
pub fn unary(name: &str) -> Option<Unary> {
    UNARY.iter().find(|(other, _)| *other == name).map(|&(_, function)| function)
}

/// The function of two numbers with this name.
pub fn binary(name: &str) -> Option<Binary> {
    BINARY.iter().find(|(other, _)| *other == name).map(|&(_, function)| function)
}

/// All names that can be called, in alphabetical order.
pub fn names() -> String {
    let all = UNARY.iter().map(|(name, _)| *name).chain(BINARY.iter().map(|(name, _)| *name));
    let mut names: Vec<&str> = all.filter(|name| name.starts_with(char::is_alphabetic)).collect();
    names.sort_unstable();
    names.join(", ")
}
