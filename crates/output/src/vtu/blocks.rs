//! Compressed arrays: numbers of 64 bits, then the blocks as zlib streams. The numbers: how many blocks there are, bytes of a block before
//! compression, bytes of the last block if it has fewer (otherwise 0), and the compressed bytes of each block.

use std::{
    io::{self, Write},
    iter,
};

use miniz_oxide::{deflate::compress_to_vec_zlib, inflate::decompress_slice_iter_to_slice};

use super::{damage::Damage, stored::Stored};

/// Bytes of a block before compression, rounded down to whole values. Memory, not size, decides: a block is in memory twice.
const BLOCK_BYTES: usize = 1 << 18;
/// Bytes of a number before the values of an array.
pub const NUMBER_BYTES: usize = 8;
/// The format of zlib compresses a byte to no less than about 1/1032 byte.
const MAX_RATIO: usize = 1100;

/// Compresses arrays, one after the other, with the same buffers.
#[derive(Debug, Default)]
pub struct Packer {
    /// A block before compression.
    block: Vec<u8>,
    /// The blocks of an array, compressed.
    packed: Vec<u8>,
    header: Vec<u64>,
}

impl Packer {
    /// Writes `array` and returns the number of bytes written.
    pub fn write(&mut self, array: &Stored, file: &mut impl Write) -> io::Result<u64> {
        let (count, values) = (array.len(), BLOCK_BYTES / array.width());
        let last = array.width() * (count % values);
        self.packed.clear();
        self.header.clear();
        self.header.extend([count.div_ceil(values), array.width() * values, last].map(|number| number as u64));
        for start in (0..count).step_by(values) {
            self.block.clear();
            array.append(start..count.min(start + values), &mut self.block);
            let packed = compress_to_vec_zlib(&self.block, array.effort());
            self.header.push(packed.len() as u64);
            self.packed.extend(packed);
        }
        self.header.iter().try_for_each(|number| file.write_all(&number.to_le_bytes()))?;
        file.write_all(&self.packed)?;
        Ok((NUMBER_BYTES * self.header.len() + self.packed.len()) as u64)
    }
}

/// The `length` bytes of the array at the start of `bytes`.
pub fn unpack(bytes: &[u8], length: usize) -> Result<Vec<u8>, Damage> {
    let BlockSizes { full, packed } = BlockSizes::read(bytes, length)?;
    let end = packed.iter().try_fold(0, |end: usize, &size| end.checked_add(size));
    let blocks = end.and_then(|end| bytes[NUMBER_BYTES * (3 + packed.len())..].get(..end));
    let mut rest = blocks.ok_or_else(|| Damage::cut_short("compressed blocks"))?;
    // Checked before memory is reserved: `length` is from the file as well.
    if length / MAX_RATIO > rest.len() {
        return Err(Damage::new(format!("{length} bytes compressed to {}", rest.len()), "a ratio that zlib reaches"));
    }
    let mut unpacked = vec![0; length];
    for (block, size) in unpacked.chunks_mut(full).zip(packed) {
        let (packed, behind) = rest.split_at(size);
        match decompress_slice_iter_to_slice(block, iter::once(packed), true, false) {
            Ok(written) if written == block.len() => rest = behind,
            Ok(written) => return Err(Damage::new(format!("a block of {written} bytes"), "the number of bytes in its header")),
            Err(status) => return Err(Damage::new(format!("a block that cannot be decompressed ({status:?})"), "zlib data")),
        }
    }
    Ok(unpacked)
}

/// The numbers before the blocks of an array.
struct BlockSizes {
    /// Bytes of each block but the last before compression; not zero.
    full: usize,
    /// Bytes of each block after compression.
    packed: Vec<usize>,
}

impl BlockSizes {
    /// The sizes at the start of `bytes`; before compression they add up to `length`.
    fn read(bytes: &[u8], length: usize) -> Result<Self, Damage> {
        let number = |place: usize| read_number(bytes, place);
        let [count, full, last] = [number(0)?, number(1)?, number(2)?];
        if full == 0 || last > full {
            return Err(Damage::new(format!("blocks of {full} and {last} bytes"), "a last block that is not larger than the others"));
        }
        let of_last = if last == 0 { full } else { last };
        let total = count.checked_sub(1).and_then(|others| others.checked_mul(full)?.checked_add(of_last));
        if total != Some(length) {
            return Err(Damage::new(
                format!("an array of {count} blocks of {full} bytes"),
                "as many values as the grid has points or cells",
            ));
        }
        Ok(Self { full, packed: (0..count).map(|block| number(3 + block)).collect::<Result<_, _>>()? })
    }
}

/// Number `place` of those at the start of `bytes`, little-endian.
pub fn read_number(bytes: &[u8], place: usize) -> Result<usize, Damage> {
    let field = place.checked_mul(NUMBER_BYTES).and_then(|start| bytes.get(start..)?.first_chunk());
    let number = u64::from_le_bytes(*field.ok_or_else(|| Damage::cut_short("the header of an array"))?);
    usize::try_from(number).map_err(|_| Damage::new("an array that exceeds the memory", "a smaller number of bytes"))
}
