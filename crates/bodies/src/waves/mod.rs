//! Water waves and the paddles that generate them: linear waves, transfer functions, spectra, the motion of a paddle.

mod description;
mod linear_wave;
mod paddle;
mod spectrum;
mod wave_maker;

pub use linear_wave::LinearWave;
pub use paddle::Paddle;
pub use spectrum::{IrregularWaves, SpectrumComponent};
pub use wave_maker::{RegularWaves, WaveComponent, WaveMaker, WaveMakerError, WaveMakerSettings, Waves};
