//! Expressions of place and time, such as `2*sin(3*t)`: parsed once, evaluated often.

mod functions;
mod syntax;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use syntax::Syntax;

/// Names of the variables: place and time.
const VARIABLES: [&str; 4] = ["x", "y", "z", "t"];
/// Maximum length of an expression, bytes.
const MAX_LENGTH: usize = 1000;
/// Maximum number of parentheses, signs and powers, for each of which the parser may call itself.
const MAX_NESTING: usize = 100;

/// An expression of `x`, `y`, `z` and `t`. Its serialized form is its text.
///
/// Powers bind more tightly than signs, and from the right: `-x^2` is `-(x^2)`, `2^3^2` is `2^(3^2)`. All numbers are real: `1/2` is 0.5.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Expression {
    text: String,
    root: Node,
}

/// A part of an expression, ready to be evaluated.
#[derive(Clone, Debug)]
enum Node {
    Number(f64),
    /// Index into [`VARIABLES`].
    Variable(usize),
    Unary(fn(f64) -> f64, Box<Node>),
    Binary(fn(f64, f64) -> f64, Box<[Node; 2]>),
}

/// Why a text is not an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// It ends where more should follow.
    #[error("it ends too early")]
    Incomplete,
    /// What begins with this text cannot be there.
    #[error("`{0}` is unexpected")]
    Unexpected(String),
    /// A name that is neither a variable nor a constant.
    #[error("`{0}` is unknown; there are x, y, z, t and pi")]
    UnknownName(String),
    /// A function that does not exist.
    #[error("the function `{name}` is unknown; there are {known}")]
    UnknownFunction {
        /// Its name.
        name: String,
        /// The names of those that exist.
        known: String,
    },
    /// A function with too few or too many arguments.
    #[error("the number of arguments of `{name}` is {found} instead of {expected}")]
    ArgumentCount {
        /// Name of the function.
        name: String,
        /// Number of arguments given.
        found: usize,
        /// Number of arguments required.
        expected: usize,
    },
    /// It is longer than any that makes sense.
    #[error("it is longer than {MAX_LENGTH} characters, or has more than {MAX_NESTING} parentheses, signs and powers")]
    TooLong,
}

impl Expression {
    /// Parses `text`.
    ///
    /// # Errors
    /// `text` is not an expression, or has unknown names.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        if text.len() > MAX_LENGTH || text.matches(['(', '+', '-', '^']).count() > MAX_NESTING {
            return Err(ExpressionError::TooLong);
        }
        let syntax = syntax::parse(text).map_err(|rest| match rest {
            "" => ExpressionError::Incomplete,
            rest => ExpressionError::Unexpected(rest.to_owned()),
        })?;
        Ok(Self { text: text.to_owned(), root: Node::new(&syntax)? })
    }

    /// The constant `value`.
    pub fn constant(value: f64) -> Self {
        Self { text: value.to_string(), root: Node::Number(value) }
    }

    /// The text that was parsed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value at `place` and `time`, which may be infinite or not a number.
    pub fn value(&self, place: DVec3, time: f64) -> f64 {
        self.root.value(&[place.x, place.y, place.z, time])
    }

    /// Whether the value is the same everywhere.
    pub fn is_uniform(&self) -> bool {
        !self.root.depends_on_place()
    }
}

/// Equal texts have equal values.
impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl TryFrom<String> for Expression {
    type Error = ExpressionError;

    fn try_from(text: String) -> Result<Self, ExpressionError> {
        Self::parse(&text)
    }
}

impl From<Expression> for String {
    fn from(expression: Expression) -> Self {
        expression.text
    }
}

impl Node {
    /// Resolves the names in `syntax`.
    fn new(syntax: &Syntax) -> Result<Self, ExpressionError> {
        match syntax {
            Syntax::Number(number) => Ok(Self::Number(*number)),
            Syntax::Name("pi") => Ok(Self::Number(std::f64::consts::PI)),
            Syntax::Name(name) => {
                let index = VARIABLES.iter().position(|variable| variable == name);
                index.map(Self::Variable).ok_or_else(|| ExpressionError::UnknownName((*name).to_owned()))
            }
            Syntax::Call(name, arguments) => Self::call(name, arguments),
        }
    }

    fn call(name: &str, arguments: &[Syntax]) -> Result<Self, ExpressionError> {
        match (arguments, functions::unary(name), functions::binary(name)) {
            ([argument], Some(function), _) => Ok(Self::Unary(function, Box::new(Self::new(argument)?)).folded()),
            ([first, second], _, Some(function)) => Ok(Self::Binary(function, Box::new([Self::new(first)?, Self::new(second)?])).folded()),
            (_, None, None) => Err(ExpressionError::UnknownFunction { name: name.to_owned(), known: functions::names() }),
            (_, unary, _) => {
                let expected = if unary.is_some() { 1 } else { 2 };
                Err(ExpressionError::ArgumentCount { name: name.to_owned(), found: arguments.len(), expected })
            }
        }
    }

    /// A number, if this depends on nothing.
    fn folded(self) -> Self {
        let is_number = |node: &Self| matches!(node, Self::Number(_));
        let is_constant = match &self {
            Self::Number(_) | Self::Variable(_) => false,
            Self::Unary(_, argument) => is_number(argument),
            Self::Binary(_, arguments) => arguments.iter().all(is_number),
        };
        if is_constant { Self::Number(self.value(&[0.0; 4])) } else { self }
    }

    fn value(&self, variables: &[f64; 4]) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Variable(index) => variables[*index],
            Self::Unary(function, argument) => function(argument.value(variables)),
            Self::Binary(function, arguments) => function(arguments[0].value(variables), arguments[1].value(variables)),
        }
    }

    fn depends_on_place(&self) -> bool {
        match self {
            Self::Number(_) => false,
            Self::Variable(index) => VARIABLES[*index] != "t",
            Self::Unary(_, argument) => argument.depends_on_place(),
            Self::Binary(_, arguments) => arguments.iter().any(Self::depends_on_place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: DVec3 = DVec3::new(1.5, -2.0, 3.0);
    const TIME: f64 = 0.25;

    fn value(text: &str) -> f64 {
        Expression::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).value(PLACE, TIME)
    }

    #[test]
    fn expressions_have_the_values_of_mathematics() {
        let DVec3 { x, y, z } = PLACE;
        let t = TIME;
        let cases = [
            ("2", 2.0),
            ("  1.5e-3 ", 1.5e-3),
            (".5", 0.5),
            ("1E+2*x", 100.0 * x),
            ("2-3-4", -5.0),
            ("12/3/2", 2.0),
            ("1/2", 0.5),
            ("1+2*3^2", 19.0),
            ("-x^2", -x * x),
            ("(-x)^2", x * x),
            ("2*-x^2", -2.0 * x * x),
            ("2^-x", 2.0_f64.powf(-x)),
            ("2^-2^2", 2.0_f64.powf(-4.0)),
            ("2^3^2", 512.0),
            ("-2*-3", 6.0),
            ("--x", x),
            ("+x", x),
            ("(x+y)*(z-t)", (x + y) * (z - t)),
            ("sin(2*pi*t)", (2.0 * std::f64::consts::PI * t).sin()),
            ("exp(-x^2/0.5)", (-x * x / 0.5).exp()),
            ("atan2(y, x)", y.atan2(x)),
            ("max(x, min(y, z))", x),
            ("step(x-1)*sign(y)", -1.0),
            ("hypot(3,4)", 5.0),
            ("sqrt( abs(y) )", 2.0_f64.sqrt()),
        ];
        for (text, expected) in cases {
            let found = value(text);
            assert!((found - expected).abs() <= 1e-15 * expected.abs(), "{text}: {found}, expected {expected}");
        }
        assert!(value("1/(x-1.5)").is_infinite() && value("sqrt(y)").is_nan() && value("ln(0)").is_infinite());
    }

    #[test]
    fn mistakes_are_named() {
        let cases = [
            ("", "it ends too early"),
            ("x+", "it ends too early"),
            ("(x", "it ends too early"),
            ("sin(x", "it ends too early"),
            ("sin()", "`)` is unexpected"),
            ("x y", "`y` is unexpected"),
            ("2x", "`x` is unexpected"),
            ("x+*y", "`*y` is unexpected"),
            ("x)", "`)` is unexpected"),
            ("1..2", "`1..2` is unexpected"),
            ("x > 1", "`> 1` is unexpected"),
            ("x**2", "`*2` is unexpected"),
            ("1e999", "`1e999` is unexpected"),
            ("ä", "`ä` is unexpected"),
            ("sin(w*t)", "`w` is unknown; there are x, y, z, t and pi"),
            ("X", "`X` is unknown; there are x, y, z, t and pi"),
            ("sin", "`sin` is unknown; there are x, y, z, t and pi"),
            ("sin(x, y)", "the number of arguments of `sin` is 2 instead of 1"),
            ("max(x)", "the number of arguments of `max` is 1 instead of 2"),
        ];
        for (text, expected) in cases {
            let found = Expression::parse(text).map_or_else(|error| error.to_string(), |_| "no error".to_owned());
            assert_eq!(found, expected, "{text}");
        }
        let unknown = Expression::parse("sinus(x)").unwrap_err().to_string();
        assert!(unknown.starts_with("the function `sinus` is unknown; there are abs, acos, "), "{unknown}");
        assert_eq!(Expression::parse(&"x".repeat(1001)), Err(ExpressionError::TooLong));
    }

    /// The parser calls itself, and must not exhaust the stack of a thread.
    #[test]
    fn nesting_is_deep_enough_and_limited() {
        let nested = |open: &str, count: usize, close: &str| format!("{}x{}", open.repeat(count), close.repeat(count));
        assert_eq!(value(&nested("(", 100, ")")), PLACE.x);
        assert_eq!(value(&nested("-", 100, "")), PLACE.x);
        assert_eq!(value(&nested("abs(", 100, ")")), PLACE.x);
        assert_eq!(value(&nested("1^", 100, "")), 1.0);
        assert_eq!(Expression::parse(&"(".repeat(100)), Err(ExpressionError::Incomplete));
        assert_eq!(Expression::parse(&"(".repeat(101)), Err(ExpressionError::TooLong));
    }

    #[test]
    fn uniform_expressions_are_known() {
        let is_uniform = |text| Expression::parse(text).unwrap().is_uniform();
        assert!(is_uniform("2*sin(3*t)") && is_uniform("1") && !is_uniform("sin(t)+0*x") && !is_uniform("max(t, -z)"));
        assert!(Expression::constant(-1.5).is_uniform());
    }

    #[test]
    fn the_serialized_form_is_the_text() {
        let expression = Expression::parse("2*x - t").unwrap();
        let saved = postcard::to_allocvec(&expression).unwrap();
        assert_eq!(saved, postcard::to_allocvec("2*x - t").unwrap());
        let loaded: Expression = postcard::from_bytes(&saved).unwrap();
        assert_eq!(loaded.value(PLACE, TIME), expression.value(PLACE, TIME));
        assert_eq!(loaded, expression);
        let constant: Expression = postcard::from_bytes(&postcard::to_allocvec(&Expression::constant(-1e-300)).unwrap()).unwrap();
        assert_eq!(constant.value(PLACE, TIME), -1e-300);
    }
}
