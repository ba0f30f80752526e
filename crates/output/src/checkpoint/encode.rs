//! Writes a state as MessagePack, byte for byte as `rmp_serde` does with the names of fields.
//!
//! `rmp_serde` writes to a type of its caller's choice and is therefore compiled again, down to the single number, wherever a state is saved. This
//! serializer is one type: numbers and texts are compiled once, here, and what is compiled for each type of a state only calls them.

use std::{
    fmt::Display,
    io::{self, Write},
    mem,
};

use rmp::encode;
use serde::{
    Serialize, Serializer,
    ser::{
        Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct,
        SerializeTupleVariant,
    },
};

/// Bytes that are collected before they are passed on.
const ROOM: usize = 1 << 16;

/// Writes `state` to `file`.
pub(super) fn write(state: &impl Serialize, file: &mut dyn Write) -> io::Result<()> {
    let mut encoder = Encoder { buffer: Vec::with_capacity(2 * ROOM), held: 0, file };
    state.serialize(&mut encoder).map_err(|Failure(error)| error)?;
    encoder.flush()
}

/// Why a state could not be written.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Failure(#[from] io::Error);

impl serde::ser::Error for Failure {
    fn custom<T: Display>(message: T) -> Self {
        Self(io::Error::other(message.to_string()))
    }
}

struct Encoder<'a> {
    buffer: Vec<u8>,
    /// Lists and maps around the next value whose length is not known yet; until it is, nothing is passed on.
    held: u32,
    file: &'a mut dyn Write,
}

impl Encoder<'_> {
    /// Passes on what has collected, if that is enough.
    fn written(&mut self) -> Result<(), Failure> {
        if self.buffer.len() < ROOM || self.held > 0 {
            return Ok(());
        }
        self.flush().map_err(Failure)
    }

    #[cold]
    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    fn list_head(&mut self, length: usize) -> Result<(), Failure> {
        encode::write_array_len(&mut self.buffer, count(length)?).expect("memory can be written");
        Ok(())
    }

    fn map_head(&mut self, length: usize) -> Result<(), Failure> {
        encode::write_map_len(&mut self.buffer, count(length)?).expect("memory can be written");
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), Failure> {
        encode::write_str(&mut self.buffer, text).expect("memory can be written");
        self.written()
    }

    /// The head of a variant with content.
    fn variant(&mut self, name: &str) -> Result<(), Failure> {
        self.map_head(1)?;
        self.text(name)
    }
}

fn count(length: usize) -> Result<u32, Failure> {
    u32::try_from(length).map_err(|_| Failure::custom(format!("a list has {length} elements, at most {} can be written", u32::MAX)))
}

/// A list, map, struct or variant whose elements follow.
struct Elements<'a, 'b> {
    encoder: &'a mut Encoder<'b>,
    /// If the length was not given: what was written before, and the number of values since then.
    counted: Option<(Vec<u8>, usize)>,
}

impl<'a, 'b> Elements<'a, 'b> {
    /// Elements whose number has been written.
    fn known(encoder: &'a mut Encoder<'b>) -> Self {
        Self { encoder, counted: None }
    }

    /// Elements whose number is known at their end.
    fn unknown(encoder: &'a mut Encoder<'b>) -> Self {
        encoder.held += 1;
        let before = mem::take(&mut encoder.buffer);
        Self { encoder, counted: Some((before, 0)) }
    }

    fn add(&mut self) {
        if let Some((_, count)) = &mut self.counted {
            *count += 1;
        }
    }

    /// Ends the elements. `head` writes their number, if that was not known.
    fn finish(self, head: fn(&mut Encoder, usize) -> Result<(), Failure>) -> Result<(), Failure> {
        let Some((before, count)) = self.counted else { return Ok(()) };
        let encoder = self.encoder;
        let content = mem::replace(&mut encoder.buffer, before);
        encoder.held -= 1;
        head(encoder, count)?;
        encoder.buffer.extend(content);
        encoder.written()
    }
}

/// Methods of [`Serializer`] that write a number.
macro_rules! numbers {
    ($($method:ident: $type:ty as $wide:ty, $write:ident;)*) => {
        $(fn $method(self, value: $type) -> Result<(), Failure> {
            encode::$write(&mut self.buffer, <$wide>::from(value)).expect("memory can be written");
            self.written()
        })*
    };
}

impl<'a, 'b> Serializer for &'a mut Encoder<'b> {
    type Ok = ();
    type Error = Failure;
    type SerializeSeq = Elements<'a, 'b>;
    type SerializeTuple = Elements<'a, 'b>;
    type SerializeTupleStruct = Elements<'a, 'b>;
    type SerializeTupleVariant = Elements<'a, 'b>;
    type SerializeMap = Elements<'a, 'b>;
    type SerializeStruct = Elements<'a, 'b>;
    type SerializeStructVariant = Elements<'a, 'b>;

    fn is_human_readable(&self) -> bool {
        false
    }

    numbers! {
        serialize_u8: u8 as u64, write_uint;
        serialize_u16: u16 as u64, write_uint;
        serialize_u32: u32 as u64, write_uint;
        serialize_u64: u64 as u64, write_uint;
        serialize_i8: i8 as i64, write_sint;
        serialize_i16: i16 as i64, write_sint;
        serialize_i32: i32 as i64, write_sint;
        serialize_i64: i64 as i64, write_sint;
        serialize_f32: f32 as f32, write_f32;
        serialize_f64: f64 as f64, write_f64;
    }

    fn serialize_u128(self, value: u128) -> Result<(), Failure> {
        self.serialize_bytes(&value.to_be_bytes())
    }

    fn serialize_i128(self, value: i128) -> Result<(), Failure> {
        self.serialize_bytes(&value.to_be_bytes())
    }

    fn serialize_bool(self, value: bool) -> Result<(), Failure> {
        encode::write_bool(&mut self.buffer, value).expect("memory can be written");
        self.written()
    }

    fn serialize_char(self, value: char) -> Result<(), Failure> {
        self.text(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), Failure> {
        self.text(value)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Failure> {
        encode::write_bin(&mut self.buffer, value).expect("memory can be written");
        self.written()
    }

    fn serialize_none(self) -> Result<(), Failure> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Failure> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Failure> {
        encode::write_nil(&mut self.buffer).expect("memory can be written");
        self.written()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Failure> {
        self.list_head(0)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Failure> {
        self.text(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Failure> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<(), Failure> {
        self.variant(name)?;
        value.serialize(self)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Elements<'a, 'b>, Failure> {
        let Some(length) = length else { return Ok(Elements::unknown(self)) };
        self.list_head(length)?;
        Ok(Elements::known(self))
    }

    fn serialize_tuple(self, length: usize) -> Result<Elements<'a, 'b>, Failure> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Elements<'a, 'b>, Failure> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, name: &'static str, length: usize) -> Result<Elements<'a, 'b>, Failure> {
        self.variant(name)?;
        self.serialize_seq(Some(length))
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Elements<'a, 'b>, Failure> {
        let Some(length) = length else { return Ok(Elements::unknown(self)) };
        self.map_head(length)?;
        Ok(Elements::known(self))
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Elements<'a, 'b>, Failure> {
        self.serialize_map(Some(length))
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, name: &'static str, length: usize) -> Result<Elements<'a, 'b>, Failure> {
        self.variant(name)?;
        self.serialize_map(Some(length))
    }
}

impl SerializeSeq for Elements<'_, '_> {
    type Ok = ();
    type Error = Failure;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        self.add();
        value.serialize(&mut *self.encoder)
    }

    fn end(self) -> Result<(), Failure> {
        self.finish(|encoder, length| encoder.list_head(length))
    }
}

impl SerializeMap for Elements<'_, '_> {
    type Ok = ();
    type Error = Failure;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Failure> {
        self.add();
        key.serialize(&mut *self.encoder)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        value.serialize(&mut *self.encoder)
    }

    fn end(self) -> Result<(), Failure> {
        self.finish(|encoder, length| encoder.map_head(length))
    }
}

/// Implementations for lists of a known length.
macro_rules! lists {
    ($($kind:ident $method:ident;)*) => {
        $(impl $kind for Elements<'_, '_> {
            type Ok = ();
            type Error = Failure;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
                value.serialize(&mut *self.encoder)
            }

            fn end(self) -> Result<(), Failure> {
                Ok(())
            }
        })*
    };
}

/// Implementations for fields with names.
macro_rules! structs {
    ($($kind:ident)*) => {
        $(impl $kind for Elements<'_, '_> {
            type Ok = ();
            type Error = Failure;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Failure> {
                self.encoder.text(name)?;
                value.serialize(&mut *self.encoder)
            }

            fn end(self) -> Result<(), Failure> {
                Ok(())
            }
        })*
    };
}

lists! {
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}

structs! { SerializeStruct SerializeStructVariant }
