//! How the viscosity of a fluid depends on the shear rate: the table `law`.

use plimsoll_fluid::Rheology;

use super::read::{Quantity, Range, Table};

pub(super) const KINEMATIC: Quantity = Quantity::new(Range::NotNegative, "a viscosity in m²/s, 0 or more");
const FACTOR: Quantity = Quantity::new(Range::NotNegative, "a number of 0 or more");
const STRESS: Quantity = Quantity::new(Range::Positive, "a positive stress in Pa");
const TIME: Quantity = Quantity::new(Range::Positive, "a positive time in s");
const INDEX: Quantity = Quantity::new(Range::PositiveUpTo(10.0), "a number above 0, at most 10");

const CARREAU_KEYS: [&str; 3] = ["infinite", "time", "index"];
const HERSCHEL_BULKLEY_KEYS: [&str; 3] = ["yield_stress", "consistency", "index"];

/// The law in the table `law` of a fluid whose viscosity at rest is `at_rest` (m²/s), under the key `key`.
pub(super) fn read_law(fluid: &Table, key: &'static str, at_rest: f64) -> Rheology {
    let Some(table) = fluid.table("law", "a table with the `kind` of a law") else { return Rheology::Newtonian };
    let kind = table.choice("kind", &["newtonian", "carreau", "herschel_bulkley"]);
    let refuse = |keys: &[&'static str], kind: &str, expected: &str| {
        for key in keys {
            table.misplaced(key, &format!("with kind = \"{kind}\""), expected);
        }
    };
    let law = match kind {
        Some("carreau") => {
            refuse(&HERSCHEL_BULKLEY_KEYS[..2], "carreau", "it only with kind = \"herschel_bulkley\"");
            let infinite = table.number_or("infinite", KINEMATIC, 0.0);
            let numbers = table.number("time", TIME).zip(table.number("index", INDEX));
            numbers.map(|(time, index)| Rheology::Carreau { infinite, time, index })
        }
        Some("herschel_bulkley") => {
            refuse(&CARREAU_KEYS[..2], "herschel_bulkley", "it only with kind = \"carreau\"");
            let index = table.number_or("index", INDEX, 1.0);
            let numbers = table.number("yield_stress", STRESS).zip(table.number("consistency", FACTOR));
            numbers.map(|(yield_stress, consistency)| Rheology::HerschelBulkley { yield_stress, consistency, index })
        }
        Some(_) => {
            refuse(&CARREAU_KEYS, "newtonian", "it only with another kind");
            refuse(&HERSCHEL_BULKLEY_KEYS[..2], "newtonian", "it only with another kind");
            None
        }
        None => {
            table.pass(&CARREAU_KEYS);
            table.pass(&HERSCHEL_BULKLEY_KEYS);
            None
        }
    };
    if law.is_some() && at_rest == 0.0 {
        let expected = "a positive viscosity at rest in m²/s, as the law needs";
        fluid.document.report(fluid.line_of(key), &fluid.key(key), "0".to_string(), expected.to_string());
    }
    table.finish();
    law.unwrap_or_default()
}
