//! The grammar of expressions.

use winnow::{
    ModalResult, Parser,
    ascii::{digit1, multispace0},
    combinator::{Infix, Prefix, alt, cut_err, delimited, expression, opt, separated},
    token::{one_of, take_while},
};

/// A parsed expression whose names are not resolved.
#[derive(Clone, Debug)]
pub enum Syntax<'a> {
    Number(f64),
    Name(&'a str),
    /// A function or an operator.
    Call(&'a str, Vec<Syntax<'a>>),
}

/// Parses all of `text`.
///
/// # Errors
/// The rest of the text that cannot be there; empty if more should follow.
pub fn parse(text: &str) -> Result<Syntax<'_>, &str> {
    whole.parse(text).map_err(|error| text.get(error.offset()..).unwrap_or_default().trim())
}

/// Operators with their binding powers.
fn whole<'a>(input: &mut &'a str) -> ModalResult<Syntax<'a>> {
    let signs = alt((
        token('-').value(Prefix(3, |_: &mut &'a str, a| Ok(Syntax::Call("-", vec![a])))),
        token('+').value(Prefix(3, |_: &mut &'a str, a| Ok(a))),
    ));
    let operators = alt((
        token('+').value(Infix::Left(1, |_: &mut &'a str, a, b| Ok(Syntax::Call("+", vec![a, b])))),
        token('-').value(Infix::Left(1, |_: &mut &'a str, a, b| Ok(Syntax::Call("-", vec![a, b])))),
        token('*').value(Infix::Left(2, |_: &mut &'a str, a, b| Ok(Syntax::Call("*", vec![a, b])))),
        token('/').value(Infix::Left(2, |_: &mut &'a str, a, b| Ok(Syntax::Call("/", vec![a, b])))),
        token('^').value(Infix::Right(4, |_: &mut &'a str, a, b| Ok(Syntax::Call("^", vec![a, b])))),
    ));
    expression(operand).prefix(signs).infix(operators).parse_next(input)
}

fn token<'a>(symbol: char) -> impl Parser<&'a str, char, winnow::error::ErrMode<winnow::error::ContextError>> {
    delimited(multispace0, symbol, multispace0)
}

fn operand<'a>(input: &mut &'a str) -> ModalResult<Syntax<'a>> {
    let group = delimited('(', cut_err(whole), cut_err(token(')')));
    delimited(multispace0, alt((number, named, group)), multispace0).parse_next(input)
}

fn number<'a>(input: &mut &'a str) -> ModalResult<Syntax<'a>> {
    let digits = take_while(1.., |c: char| c.is_ascii_digit() || c == '.');
    let exponent = (one_of(['e', 'E']), opt(one_of(['+', '-'])), digit1);
    let number = (digits, opt(exponent)).take().parse_to::<f64>().verify(|number| number.is_finite());
    number.map(Syntax::Number).parse_next(input)
}

/// A variable, a constant or a function with its arguments.
fn named<'a>(input: &mut &'a str) -> ModalResult<Syntax<'a>> {
    let first = one_of(|c: char| c.is_ascii_alphabetic());
    let name = (first, take_while(0.., |c: char| c.is_ascii_alphanumeric() || c == '_')).take();
    let arguments = delimited(token('('), cut_err(separated(1.., whole, token(','))), cut_err(token(')')));
    let named = (name, opt(arguments));
    named.map(|(name, arguments)| arguments.map_or(Syntax::Name(name), |list| Syntax::Call(name, list))).parse_next(input)
}
