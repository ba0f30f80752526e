//! Reads a state from MessagePack, as `rmp_serde` writes it with the names of fields.
//!
//! `rmp_serde` decides for every value by its marker what to give to its visitor, so that each of a thousand types is compiled with all kinds of
//! values: half of what a checkpoint costs the compiler. States say what they expect, and only that is compiled here.

use std::fmt::Display;

use rmp::Marker;
use serde::{
    Deserialize,
    de::{
        self, DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
        value::{BorrowedStrDeserializer, Error},
    },
};

/// Nested lists, maps and options; a damaged file must not exhaust the stack.
const DEEPEST: u16 = 512;

/// The state in `bytes`, which must contain nothing else.
pub(super) fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, Error> {
    let mut decoder = Decoder { rest: bytes, depth: 0 };
    let state = T::deserialize(&mut decoder)?;
    if decoder.rest.is_empty() { Ok(state) } else { Err(Error::custom(format!("{} bytes follow the state", decoder.rest.len()))) }
}

/// A value, or the head of a list or a map.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'de> {
    Nil,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Single(f32),
    Double(f64),
    Text(&'de str),
    Bytes(&'de [u8]),
    /// Number of elements.
    List(usize),
    /// Number of pairs.
    Map(usize),
}

impl Token<'_> {
    /// The error that this is not what `visitor` expects.
    #[cold]
    fn unexpected(self, expected: &dyn de::Expected) -> Error {
        let found = match self {
            Self::Nil => Unexpected::Unit,
            Self::Bool(value) => Unexpected::Bool(value),
            Self::Unsigned(value) => Unexpected::Unsigned(value),
            Self::Signed(value) => Unexpected::Signed(value),
            Self::Single(value) => Unexpected::Float(value.into()),
            Self::Double(value) => Unexpected::Float(value),
            Self::Text(text) => Unexpected::Str(text),
            Self::Bytes(bytes) => Unexpected::Bytes(bytes),
            Self::List(_) => Unexpected::Seq,
            Self::Map(_) => Unexpected::Map,
        };
        Error::invalid_type(found, expected)
    }
}

/// The bytes that are not read yet.
struct Decoder<'de> {
    rest: &'de [u8],
    depth: u16,
}

impl<'de> Decoder<'de> {
    fn slice(&mut self, length: usize) -> Result<&'de [u8], Error> {
        let (slice, rest) = self.rest.split_at_checked(length).ok_or_else(|| Error::custom("the state ends too early"))?;
        self.rest = rest;
        Ok(slice)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        Ok(self.slice(N)?.try_into().expect("a slice of this length"))
    }

    /// An unsigned number of `N` bytes.
    fn unsigned<const N: usize>(&mut self) -> Result<u64, Error> {
        Ok(self.slice(N)?.iter().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    fn length<const N: usize>(&mut self) -> Result<usize, Error> {
        Ok(self.unsigned::<N>()? as usize)
    }

    fn text(&mut self, length: usize) -> Result<Token<'de>, Error> {
        std::str::from_utf8(self.slice(length)?).map(Token::Text).map_err(Error::custom)
    }

    fn next_token(&mut self) -> Result<Token<'de>, Error> {
        let [marker] = self.array()?;
        Ok(match Marker::from_u8(marker) {
            Marker::Null => Token::Nil,
            Marker::True => Token::Bool(true),
            Marker::False => Token::Bool(false),
            Marker::FixPos(value) => Token::Unsigned(value.into()),
            Marker::FixNeg(value) => Token::Signed(value.into()),
            Marker::U8 => Token::Unsigned(self.unsigned::<1>()?),
            Marker::U16 => Token::Unsigned(self.unsigned::<2>()?),
            Marker::U32 => Token::Unsigned(self.unsigned::<4>()?),
            Marker::U64 => Token::Unsigned(self.unsigned::<8>()?),
            Marker::I8 => Token::Signed(i8::from_be_bytes(self.array()?).into()),
            Marker::I16 => Token::Signed(i16::from_be_bytes(self.array()?).into()),
            Marker::I32 => Token::Signed(i32::from_be_bytes(self.array()?).into()),
            Marker::I64 => Token::Signed(i64::from_be_bytes(self.array()?)),
            Marker::F32 => Token::Single(f32::from_be_bytes(self.array()?)),
            Marker::F64 => Token::Double(f64::from_be_bytes(self.array()?)),
            Marker::FixStr(length) => self.text(length.into())?,
            Marker::Str8 => self.length::<1>().and_then(|length| self.text(length))?,
            Marker::Str16 => self.length::<2>().and_then(|length| self.text(length))?,
            Marker::Str32 => self.length::<4>().and_then(|length| self.text(length))?,
            Marker::Bin8 => self.length::<1>().and_then(|length| self.slice(length)).map(Token::Bytes)?,
            Marker::Bin16 => self.length::<2>().and_then(|length| self.slice(length)).map(Token::Bytes)?,
            Marker::Bin32 => self.length::<4>().and_then(|length| self.slice(length)).map(Token::Bytes)?,
            Marker::FixArray(length) => Token::List(length.into()),
            Marker::Array16 => Token::List(self.length::<2>()?),
            Marker::Array32 => Token::List(self.length::<4>()?),
            Marker::FixMap(length) => Token::Map(length.into()),
            Marker::Map16 => Token::Map(self.length::<2>()?),
            Marker::Map32 => Token::Map(self.length::<4>()?),
            _ => return Err(Error::custom(format!("found the unknown marker {marker:#04x}"))),
        })
    }

    fn next_is_nil(&self) -> bool {
        self.rest.first() == Some(&Marker::Null.to_u8())
    }

    /// Reads past one value and what it contains.
    fn skip(&mut self) -> Result<(), Error> {
        let mut open = 1_usize;
        while open > 0 {
            open = open - 1
                + match self.next_token()? {
                    Token::List(count) => count,
                    Token::Map(count) => 2 * count,
                    _ => 0,
                };
        }
        Ok(())
    }

    fn enter(&mut self) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(Error::custom("values are nested too deeply")) } else { Ok(()) }
    }

    fn number<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        match self.next_token()? {
            Token::Unsigned(value) => visitor.visit_u64(value),
            Token::Signed(value) => visitor.visit_i64(value),
            Token::Single(value) => visitor.visit_f32(value),
            Token::Double(value) => visitor.visit_f64(value),
            other => Err(other.unexpected(&visitor)),
        }
    }

    fn list<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        match self.next_token()? {
            Token::List(count) => self.elements(count, visitor),
            other => Err(other.unexpected(&visitor)),
        }
    }

    fn elements<V: Visitor<'de>>(&mut self, count: usize, visitor: V) -> Result<V::Value, Error> {
        self.enter()?;
        let mut content = Content { decoder: self, left: count };
        let value = visitor.visit_seq(&mut content)?;
        content.finish()?;
        Ok(value)
    }

    fn map<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        match self.next_token()? {
            Token::Map(count) => self.pairs(count, visitor),
            other => Err(other.unexpected(&visitor)),
        }
    }

    fn pairs<V: Visitor<'de>>(&mut self, count: usize, visitor: V) -> Result<V::Value, Error> {
        self.enter()?;
        let mut content = Content { decoder: self, left: count };
        let value = visitor.visit_map(&mut content)?;
        content.finish()?;
        Ok(value)
    }
}

macro_rules! numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.number(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for &mut Decoder<'de> {
    type Error = Error;

    fn is_human_readable(&self) -> bool {
        false
    }

    numbers! {
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_f32 deserialize_f64
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.next_token()? {
            Token::Nil => visitor.visit_unit(),
            Token::Bool(value) => visitor.visit_bool(value),
            Token::Unsigned(value) => visitor.visit_u64(value),
            Token::Signed(value) => visitor.visit_i64(value),
            Token::Single(value) => visitor.visit_f32(value),
            Token::Double(value) => visitor.visit_f64(value),
            Token::Text(text) => visitor.visit_borrowed_str(text),
            Token::Bytes(bytes) => visitor.visit_borrowed_bytes(bytes),
            Token::List(count) => self.elements(count, visitor),
            Token::Map(count) => self.pairs(count, visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.next_token()? {
            Token::Bool(value) => visitor.visit_bool(value),
            other => Err(other.unexpected(&visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.next_token()? {
            Token::Text(text) => visitor.visit_borrowed_str(text),
            other => Err(other.unexpected(&visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.next_token()? {
            Token::Bytes(bytes) => visitor.visit_borrowed_bytes(bytes),
            other => Err(other.unexpected(&visitor)),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.next_is_nil() {
            self.next_token()?;
            return visitor.visit_none();
        }
        self.enter()?;
        let value = visitor.visit_some(&mut *self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.next_token()? {
            Token::Nil => visitor.visit_unit(),
            other => Err(other.unexpected(&visitor)),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        match self.next_token()? {
            Token::Nil | Token::List(0) => visitor.visit_unit(),
            other => Err(other.unexpected(&visitor)),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.list(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.list(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(self, _: &'static str, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.list(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.map(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(self, _: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _: &'static str, _: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        match self.next_token()? {
            Token::Text(name) => visitor.visit_enum(BorrowedStrDeserializer::new(name)),
            Token::Map(1) => {
                self.enter()?;
                let value = visitor.visit_enum(Variant { decoder: &mut *self })?;
                self.depth -= 1;
                Ok(value)
            }
            other => Err(other.unexpected(&visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.skip()?;
        visitor.visit_unit()
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.next_token()? {
            Token::Bytes(bytes) if bytes.len() == 16 => visitor.visit_u128(u128::from_be_bytes(bytes.try_into().expect("16 bytes"))),
            other => Err(other.unexpected(&visitor)),
        }
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.next_token()? {
            Token::Bytes(bytes) if bytes.len() == 16 => visitor.visit_i128(i128::from_be_bytes(bytes.try_into().expect("16 bytes"))),
            other => Err(other.unexpected(&visitor)),
        }
    }
}

/// The rest of a list or a map.
struct Content<'a, 'de> {
    decoder: &'a mut Decoder<'de>,
    left: usize,
}

impl Content<'_, '_> {
    fn finish(self) -> Result<(), Error> {
        self.decoder.depth -= 1;
        if self.left == 0 { Ok(()) } else { Err(too_long(self.left)) }
    }

    /// Whether there is one more, which is taken.
    fn take_one(&mut self) -> bool {
        let more = self.left > 0;
        self.left -= usize::from(more);
        more
    }
}

#[cold]
fn too_long(left: impl Display) -> Error {
    Error::custom(format!("a list or a map has {left} elements more than expected"))
}

impl<'de> SeqAccess<'de> for &mut Content<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        if self.take_one() { seed.deserialize(&mut *self.decoder).map(Some) } else { Ok(None) }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> MapAccess<'de> for &mut Content<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        if self.take_one() { seed.deserialize(&mut *self.decoder).map(Some) } else { Ok(None) }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(&mut *self.decoder)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// The one pair of a map: the name of a variant and what it contains.
struct Variant<'a, 'de> {
    decoder: &'a mut Decoder<'de>,
}

impl<'de> EnumAccess<'de> for Variant<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        Ok((seed.deserialize(&mut *self.decoder)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        self.decoder.deserialize_unit(de::IgnoredAny).map(drop)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self.decoder)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.decoder.list(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.decoder.map(visitor)
    }
}
