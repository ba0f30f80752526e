//! What is written is what `rmp_serde` writes, and is read again.

use std::collections::BTreeMap;

use proptest::{
    collection::{btree_map, vec},
    prelude::*,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned, ser::SerializeSeq as _};

use super::{decode::from_slice, encode};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Empty;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Length(f64);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    Fixed,
    Moving(Length),
    Pair(i8, u64),
    Named { first: Option<f32>, second: Vec<Kind> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct State {
    signed: (i8, i16, i32, i64),
    unsigned: (u8, u16, u32, u64),
    wide: (i128, u128),
    vectors: Vec<[f32; 3]>,
    kinds: Vec<Kind>,
    by_name: BTreeMap<String, Option<f64>>,
    by_number: BTreeMap<u32, bool>,
    letter: char,
    nothing: (),
    empty: Empty,
    none: Option<Box<State>>,
}

/// A later version of [`State`].
#[derive(Debug, PartialEq, Deserialize)]
struct Later {
    vectors: Vec<[f32; 3]>,
    #[serde(default)]
    added: u32,
}

fn written(state: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode::write(state, &mut bytes).expect("bytes can be written");
    bytes
}

fn written_by_rmp_serde(state: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    state.serialize(&mut rmp_serde::Serializer::new(&mut bytes).with_struct_map()).expect("bytes can be written");
    bytes
}

fn kinds() -> impl Strategy<Value = Kind> {
    let leaf = prop_oneof![
        Just(Kind::Fixed),
        any::<f64>().prop_map(|length| Kind::Moving(Length(length))),
        any::<(i8, u64)>().prop_map(|(first, second)| Kind::Pair(first, second)),
    ];
    leaf.prop_recursive(3, 20, 4, |kind| (any::<Option<f32>>(), vec(kind, 0..4)).prop_map(|(first, second)| Kind::Named { first, second }))
}

prop_compose! {
    fn states()(
        signed: (i8, i16, i32, i64),
        unsigned: (u8, u16, u32, u64),
        wide: (i128, u128),
        vectors in vec(any::<[f32; 3]>(), 0..40),
        kinds in vec(kinds(), 0..20),
        by_name in btree_map(".{0,40}", any::<Option<f64>>(), 0..20),
        by_number in btree_map(any::<u32>(), any::<bool>(), 0..4),
        letter: char,
    ) -> State {
        State { signed, unsigned, wide, vectors, kinds, by_name, by_number, letter, nothing: (), empty: Empty, none: None }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(state in states()) {
        let outer = State { none: Some(Box::new(state.clone())), ..state };
        let bytes = written(&outer);
        prop_assert_eq!(&bytes, &written_by_rmp_serde(&outer));
        prop_assert_eq!(&from_slice::<State>(&bytes).expect("a state"), &outer);
        // As `rmp_serde` reads it.
        prop_assert_eq!(&rmp_serde::from_slice::<State>(&bytes).expect("a state"), &outer);
        prop_assert_eq!(from_slice::<Later>(&bytes).expect("a state"), Later { vectors: outer.vectors, added: 0 });
    }

    #[test]
    fn damaged_states_are_errors(state in states(), cut in any::<prop::sample::Index>(), change: u8) {
        let mut bytes = written(&state);
        let place = cut.index(bytes.len());
        prop_assert!(from_slice::<State>(&bytes[..place]).is_err());
        // No panic.
        bytes[place] = change;
        let _ = from_slice::<State>(&bytes);
        bytes.extend([1, 2]);
        let _ = from_slice::<State>(&bytes);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        let _ = from_slice::<State>(&bytes);
    }
}

fn complaint<T: DeserializeOwned>(bytes: &[u8]) -> String {
    from_slice::<T>(bytes).err().expect("an error").to_string()
}

#[test]
fn complaints_name_what_was_found_and_expected() {
    assert_eq!(complaint::<Vec<u8>>(&written(&"text")), "invalid type: string \"text\", expected a sequence");
    assert_eq!(complaint::<bool>(&written(&7)), "invalid type: integer `7`, expected a boolean");
    assert_eq!(complaint::<(u8, u8)>(&written(&[1, 2, 3])), "a list or a map has 1 elements more than expected");
    assert_eq!(complaint::<u8>(&[1, 2, 3]), "2 bytes follow the state");
    assert_eq!(complaint::<Kind>(&written(&"Gone")), "unknown variant `Gone`, expected one of `Fixed`, `Moving`, `Pair`, `Named`");
    assert_eq!(complaint::<u8>(&[0xc1]), "found the unknown marker 0xc1");
    let nested = [vec![0x91; 100_000], vec![0x90]].concat();
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only read")]
    struct Nested(Vec<Nested>);
    assert_eq!(complaint::<Nested>(&nested), "values are nested too deeply");
    // A list of four thousand million elements that are not there.
    assert_eq!(complaint::<Vec<u64>>(&[0xdd, 0xff, 0xff, 0xff, 0xff]), "the state ends too early");
}

/// Lists and maps that do not know their length.
struct Uncounted(u32);

impl Serialize for Uncounted {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for number in 0..self.0 {
            list.serialize_element(&Uncounted(number / 2))?;
            list.serialize_element(&(number, "text"))?;
        }
        list.end()
    }
}

#[test]
fn lists_are_counted() {
    for count in [0, 1, 7, 8, 40] {
        assert_eq!(written(&Uncounted(count)), written_by_rmp_serde(&Uncounted(count)), "{count}");
    }
}

#[test]
fn much_is_passed_on_in_parts() {
    struct Parts(Vec<usize>);
    impl std::io::Write for Parts {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.push(bytes.len());
            if self.0.len() > 8 { Err(std::io::Error::other("full")) } else { Ok(bytes.len()) }
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let state = vec![0.5_f64; 40_000];
    let mut parts = Parts(Vec::new());
    encode::write(&state, &mut parts).expect("room");
    assert_eq!(parts.0.iter().sum::<usize>(), written(&state).len());
    assert_eq!(parts.0.len(), 6, "{:?}", parts.0);
    assert_eq!(encode::write(&vec![0.5_f64; 80_000], &mut Parts(Vec::new())).expect_err("no room").to_string(), "full");
}
