//! What the instruments of a simulation or a recorded run have measured.

use std::path::Path;

use plimsoll_contract::simulator::Instrument;
use plimsoll_plot::{PlotError, read_probes};

use super::samples::Samples;

/// The readings of all instruments.
#[derive(Clone, Debug, Default)]
pub struct Readings {
    pub instruments: Vec<InstrumentReadings>,
    /// Why there are none, if they could not be read.
    pub problem: Option<String>,
    /// Simulated time of the last addition, s.
    time: Option<f64>,
}

/// The readings of one instrument.
#[derive(Clone, Debug)]
pub struct InstrumentReadings {
    pub name: String,
    pub quantities: Vec<QuantityReadings>,
}

/// The readings of one quantity.
#[derive(Clone, Debug)]
pub struct QuantityReadings {
    pub name: String,
    pub unit: String,
    pub samples: Samples,
}

impl Readings {
    /// What the probes of the run in `folder` have recorded.
    pub fn read(folder: &Path) -> Self {
        let mut readings = Self::default();
        let read = readings.take_tables(folder);
        Self { problem: read.err().map(|error| error.to_string()), ..readings }
    }

    fn take_tables(&mut self, folder: &Path) -> Result<(), PlotError> {
        read_probes(folder, |record| {
            let samples = self.samples(record.probe, record.quantity, record.unit);
            record.times.iter().zip(record.values).for_each(|(&time, &value)| samples.push(time, value));
        })
    }

    /// Adds the last values of `instruments` at `time` (s), unless this has been done for this time.
    pub fn add(&mut self, time: f64, instruments: &[Instrument]) {
        if self.time.is_some_and(|last| time <= last) {
            return;
        }
        self.time = Some(time);
        for instrument in instruments {
            for reading in &instrument.readings {
                self.samples(&instrument.name, &reading.quantity, reading.unit).push(time, reading.value);
            }
        }
    }

    /// The value of a quantity at `time` (s).
    pub fn value(&self, instrument: &str, quantity: &str, time: f64) -> Option<f64> {
        let found = self.instruments.iter().find(|readings| readings.name == instrument)?;
        found.quantities.iter().find(|readings| readings.name == quantity)?.samples.at(time)
    }

    /// The samples of a quantity, which is added if it is new.
    fn samples(&mut self, instrument: &str, quantity: &str, unit: &str) -> &mut Samples {
        let place = self.instruments.iter().position(|readings| readings.name == instrument).unwrap_or_else(|| {
            self.instruments.push(InstrumentReadings { name: instrument.to_owned(), quantities: Vec::new() });
            self.instruments.len() - 1
        });
        let quantities = &mut self.instruments[place].quantities;
        let place = quantities.iter().position(|readings| readings.name == quantity).unwrap_or_else(|| {
            quantities.push(QuantityReadings { name: quantity.to_owned(), unit: unit.to_owned(), samples: Samples::default() });
            quantities.len() - 1
        });
        &mut quantities[place].samples
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use plimsoll_contract::simulator::Reading;

    use super::*;

    fn gauge(height: f64) -> Instrument {
        let readings = vec![Reading { quantity: "surface".into(), unit: "m", value: height }];
        Instrument { name: "gauge".to_owned(), lines: Vec::new(), readings }
    }

    #[test]
    fn an_instant_that_is_shown_again_is_one_reading() {
        let mut readings = Readings::default();
        for (time, height) in [(0.0, 0.4), (0.5, 0.6), (0.5, 0.9)] {
            readings.add(time, &[gauge(height)]);
        }
        assert_eq!(readings.instruments[0].quantities[0].samples.points(), [(0.0, 0.4), (0.5, 0.6)]);
        assert_eq!(readings.value("gauge", "surface", 0.25), Some(0.5));
        assert_eq!((readings.value("gauge", "column", 0.25), readings.value("mast", "surface", 0.25)), (None, None));
    }

    #[test]
    fn what_a_run_has_recorded_is_read() {
        let folder = tempfile::TempDir::new().unwrap();
        assert!(Readings::read(folder.path()).instruments.is_empty());
        fs::create_dir(folder.path().join("probes")).unwrap();
        let file = folder.path().join("probes/gauge.csv");
        fs::write(&file, "step,time [s],surface [m],surface_mean [m],surface_min [m],surface_max [m]\n1,0.1,0.4,0,0,0\n2,0.2,0.6,0,0,0\n")
            .unwrap();
        let readings = Readings::read(folder.path());
        let [quantity] = &readings.instruments[0].quantities[..] else { panic!("{readings:?}") };
        assert_eq!((quantity.name.as_str(), quantity.unit.as_str()), ("surface", "m"));
        assert_eq!(quantity.samples.points(), [(0.1, 0.4), (0.2, 0.6)]);
        fs::write(&file, b"step,time [s]\n1,\xff\n").unwrap();
        let problem = Readings::read(folder.path()).problem.unwrap();
        assert!(problem.contains("gauge.csv"), "{problem}");
    }
}
