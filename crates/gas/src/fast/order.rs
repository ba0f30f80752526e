//! The order of spheres in memory: along a space-filling curve that keeps spatial neighbours close in memory.

/// Morton code of a cell: the bits of its coordinates, interleaved.
pub fn morton_code(cell: [u16; 3]) -> u64 {
    spread(cell[0]) | spread(cell[1]) << 1 | spread(cell[2]) << 2
}

/// The bits of `value`, with two zeros after each bit.
fn spread(value: u16) -> u64 {
    let mut bits = u64::from(value);
    for (shift, mask) in [
        (32, 0x001f_0000_0000_ffff_u64),
        (16, 0x001f_0000_ff00_00ff),
        (8, 0x100f_00f0_0f00_f00f),
        (4, 0x10c3_0c30_c30c_30c3),
        (2, 0x1249_2492_4924_9249),
    ] {
        bits = (bits | bits << shift) & mask;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_interleaved() {
        let slow = |cell: [u16; 3]| (0..48).fold(0_u64, |code, bit| code | u64::from(cell[bit % 3] >> (bit / 3) & 1) << bit);
        for cell in [[0, 0, 0], [1, 2, 3], [65_535, 0, 65_535], [12_345, 54_321, 999], [256, 4096, 32_768]] {
            assert_eq!(morton_code(cell), slow(cell), "{cell:?}");
        }
    }
}
