//! Films: H.264 (OpenH264) in an MP4 file with the sequence and picture parameter sets in its header (ISO/IEC 14496-15, "avc1").

use std::{
    fs::File,
    io::BufWriter,
    path::{Path, PathBuf},
};

use mp4::{AvcConfig, Mp4Config, Mp4Sample, Mp4Writer, TrackConfig};
use openh264::{
    OpenH264API,
    encoder::{Encoder, EncoderConfig, FrameRate, FrameType, RateControlMode, UsageType},
    formats::{RgbSliceU8, YUVBuffer},
};

use super::Picture;
use crate::error::{ViewerError, unwritable};

/// Time units per picture.
const TICKS: u32 = 1000;
/// NAL unit types in the encoder's stream.
const SEQUENCE_PARAMETERS: u8 = 7;
const PICTURE_PARAMETERS: u8 = 8;
const TRACK: u32 = 1;

/// A film being written.
pub struct Movie {
    path: PathBuf,
    size: [u16; 2],
    timescale: u32,
    encoder: Encoder,
    writer: Mp4Writer<BufWriter<File>>,
    pictures: u64,
}

impl Movie {
    /// # Errors
    /// An odd width or height, which the format does not support, a size beyond its limits, or a file that cannot be written.
    pub fn create(path: &Path, size: [u32; 2], frames_per_second: f64) -> Result<Self, ViewerError> {
        let [Ok(width), Ok(height)] = size.map(u16::try_from) else {
            return Err(ViewerError::BadInput(format!("found a film of {} x {} pixels, expected at most 65535", size[0], size[1])));
        };
        if width % 2 == 1 || height % 2 == 1 {
            return Err(ViewerError::BadInput(format!("found a film of {width} x {height} pixels, expected even numbers for MP4")));
        }
        let config = EncoderConfig::new()
            .max_frame_rate(FrameRate::from_hz(frames_per_second as f32))
            .usage_type(UsageType::CameraVideoRealTime)
            // Constant quality for all pictures, at any bit rate.
            .rate_control_mode(RateControlMode::Off)
            .skip_frames(false)
            // More threads would divide the picture differently on different machines.
            .num_threads(1);
        let encoder = Encoder::with_api_config(OpenH264API::from_source(), config).map_err(|error| unwritable(path, &error))?;
        let timescale = (f64::from(TICKS) * frames_per_second).round().max(1.0) as u32;
        let brands = ["isom", "iso2", "avc1", "mp41"].map(|brand| brand.parse().expect("a brand has four letters"));
        let config = Mp4Config { major_brand: brands[0], minor_version: 512, compatible_brands: brands.to_vec(), timescale };
        let file = BufWriter::new(File::create(path).map_err(|error| unwritable(path, &error))?);
        let writer = Mp4Writer::write_start(file, &config).map_err(|error| unwritable(path, &error))?;
        Ok(Self { path: path.to_owned(), size: [width, height], timescale, encoder, writer, pictures: 0 })
    }

    pub fn push(&mut self, picture: &Picture) -> Result<(), ViewerError> {
        let Self { path, encoder, writer, .. } = self;
        let [width, height] = self.size.map(usize::from);
        let yuv = YUVBuffer::from_rgb8_source(RgbSliceU8::new(&picture.pixels, (width, height)));
        let encoded = encoder.encode(&yuv).map_err(|error| unwritable(path, &error))?;
        let (mut sample, mut parameters) = (Vec::new(), [Vec::new(), Vec::new()]);
        for layer in (0..encoded.num_layers()).filter_map(|index| encoded.layer(index)) {
            for unit in (0..layer.nal_count()).filter_map(|index| layer.nal_unit(index)) {
                let unit = without_start_code(unit);
                match unit.first().map(|header| header & 0x1f) {
                    Some(SEQUENCE_PARAMETERS) => parameters[0] = unit.to_vec(),
                    Some(PICTURE_PARAMETERS) => parameters[1] = unit.to_vec(),
                    Some(_) => {
                        sample.extend_from_slice(&(unit.len() as u32).to_be_bytes());
                        sample.extend_from_slice(unit);
                    }
                    None => {}
                }
            }
        }
        let is_sync = encoded.frame_type() == FrameType::IDR;
        if self.pictures == 0 {
            let [seq_param_set, pic_param_set] = parameters;
            let track = AvcConfig { width: self.size[0], height: self.size[1], seq_param_set, pic_param_set };
            let track = TrackConfig { timescale: self.timescale, ..TrackConfig::from(track) };
            writer.add_track(&track).map_err(|error| unwritable(path, &error))?;
        }
        let start_time = self.pictures * u64::from(TICKS);
        let sample = Mp4Sample { start_time, duration: TICKS, rendering_offset: 0, is_sync, bytes: sample.into() };
        self.pictures += 1;
        writer.write_sample(TRACK, &sample).map_err(|error| unwritable(path, &error))
    }

    pub fn finish(mut self) -> Result<(), ViewerError> {
        self.writer.write_end().map_err(|error| unwritable(&self.path, &error))?;
        let file = self.writer.into_writer().into_inner();
        file.map(drop).map_err(|error| unwritable(&self.path, &error))
    }
}

/// A NAL unit without its start code (zeros followed by a one).
fn without_start_code(unit: &[u8]) -> &[u8] {
    let zeros = unit.iter().take_while(|&&byte| byte == 0).count();
    if unit.get(zeros) == Some(&1) { &unit[zeros + 1..] } else { unit }
}
