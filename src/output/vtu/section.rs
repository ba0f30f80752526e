//! The parts of a grid's description.

/// The parts of a grid's description that contain arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    PointData,
    CellData,
    Points,
    Cells,
}

impl Section {
    /// All, in the order of the file.
    pub const ALL: [Self; 4] = [Self::PointData, Self::CellData, Self::Points, Self::Cells];

    /// The name of its element.
    pub fn name(self) -> &'static str {
        match self {
            Self::PointData => "PointData",
            Self::CellData => "CellData",
            Self::Points => "Points",
            Self::Cells => "Cells",
        }
    }
}
