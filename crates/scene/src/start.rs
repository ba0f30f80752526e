//! The keys `start_from` and `start_time`: a scene that begins with the last state of another run.

use std::path::{Path, PathBuf};

use super::{
    body::PlacedBody,
    error::{Problem, SceneError},
    read::{Quantity, Range, Table},
};

const FOLDER: &str = "the folder of a run, relative to the folder of the scene";
const TIME: Quantity = Quantity::new(Range::NotNegative, "a time in seconds, 0 or more");

/// The run from whose last state a scene starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// The scene file.
    pub scene: PathBuf,
    /// The folder of that run as in the file.
    pub name: String,
    /// The same folder, relative to the working folder if the path of the scene file is.
    pub folder: PathBuf,
    /// Time at which the scene begins, s.
    pub time: f64,
    line: usize,
    bodies: Vec<BodyLine>,
}

/// Where a body is in the file.
#[derive(Clone, Debug, PartialEq)]
struct BodyLine {
    name: String,
    key: String,
    line: usize,
}

impl Start {
    /// A problem with the other run.
    pub fn problem(&self, found: &str, expected: impl Into<String>) -> Problem {
        let found = format!("\"{}\": {found}", self.name);
        Problem { key: "start_from".to_owned(), ..self.problem_at(self.line, found, expected.into()) }
    }

    /// What was found is not the folder of a run.
    pub fn no_run(&self, found: &str) -> Problem {
        self.problem(found, FOLDER)
    }

    /// A problem with `key` of the body `body` and its state in the other run.
    pub fn body_problem(&self, body: &str, key: &str, found: String, expected: String) -> Problem {
        match self.bodies.iter().find(|place| place.name == body) {
            Some(place) => Problem { key: format!("{}.{key}", place.key), ..self.problem_at(place.line, found, expected) },
            None => self.problem(&format!("a run with {found} for {body}"), expected),
        }
    }

    fn problem_at(&self, line: usize, found: String, expected: String) -> Problem {
        Problem { path: self.scene.clone(), line: Some(line), key: String::new(), found, expected, hint: None }
    }

    /// An error if the folder `out`, into which the scene will be simulated, is the folder from which it starts.
    ///
    /// # Errors
    /// The folders are the same.
    pub fn check_output(&self, out: &Path) -> Result<(), SceneError> {
        let same = match (out.canonicalize(), self.folder.canonicalize()) {
            (Ok(out), Ok(folder)) => out == folder,
            _ => out == self.folder,
        };
        let problem = || self.problem("the output folder of this run", "the folder of another run");
        if same { Err(SceneError { problems: vec![problem()] }) } else { Ok(()) }
    }

    /// Completes the start with the places of the `bodies` in the file.
    pub(super) fn with_bodies(mut self, bodies: &[PlacedBody]) -> Self {
        let place = |body: &PlacedBody| BodyLine { name: body.definition.name.clone(), key: body.key.clone(), line: body.line };
        self.bodies = bodies.iter().map(place).collect();
        self
    }
}

/// The run that `start_from` names, if any, and the time at which the scene begins, s.
pub(super) fn read(root: &Table) -> Option<Start> {
    if !root.has("start_from") {
        root.pass(&["start_from"]);
        root.misplaced("start_time", "without `start_from`", "it only with `start_from`");
        return None;
    }
    let time = root.number_or("start_time", TIME, 0.0);
    let name = root.text("start_from", FOLDER)?.to_owned();
    let scene = root.document.path.to_path_buf();
    let folder = scene.parent().map_or_else(|| PathBuf::from(&name), |folder| folder.join(&name));
    Some(Start { scene, name, folder, time, line: root.line_of("start_from"), bodies: Vec::new() })
}

/// No start: reports its keys in a scene of a simulator that cannot start from another run.
pub(super) fn refuse(root: &Table, simulator: &str) -> Option<Start> {
    for key in ["start_from", "start_time"] {
        root.misplaced(key, &format!("with simulator = \"{simulator}\""), "it only with simulator = \"fluid\"");
    }
    None
}
