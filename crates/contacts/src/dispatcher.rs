//! The search for contacts as the rigid-body library calls it.

use std::{
    cell::RefCell,
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use parry3d_f64::{
    math::{Pose, Vector},
    query::{
        ClosestPoints, Contact, ContactManifold, ContactManifoldsWorkspace, DefaultQueryDispatcher, NonlinearRigidMotion,
        PersistentQueryDispatcher, QueryDispatcher, ShapeCastHit, ShapeCastOptions, ShapeDistance, ShapeIntersection, Unsupported,
        details::{NormalConstraints, VoxelsShapeContactManifoldsWorkspace},
    },
    shape::{Shape, SharedShape},
};

use crate::{
    clipping::Plane,
    hull::Hull,
    joining::{Group, join},
    manifolds::{Former, Placement, Recognition},
    reduction::reduce,
    solid::Solid,
    touching::{ContactPoint, Touching},
};

/// Contacts along one normal that a pair of bodies keeps: with four, as the library has, a cylinder twice as high as wide falls over at 0.76 of the right
/// tangent, with eight at 0.94 or more.
const CONTACTS: usize = 8;

thread_local! {
    static TOUCHING: RefCell<Touching> = RefCell::default();
}

/// Finds contacts of registered shapes; those of others are found by the library. Clones share the shapes.
#[derive(Clone, Default)]
pub struct Dispatcher {
    solids: Arc<RwLock<HashMap<Address, Registered>>>,
}

/// The address of a shape, which belongs to no other one while the shape is kept.
type Address = usize;

/// A shape, kept alive, and what is known about it.
#[derive(Clone)]
struct Registered {
    shape: SharedShape,
    solid: Arc<Solid>,
}

fn address(shape: &dyn Shape) -> Address {
    std::ptr::from_ref(shape).cast::<()>() as usize
}

impl Dispatcher {
    /// Adds a shape, unless it is there already.
    pub fn register(&self, shape: &SharedShape) {
        if self.solid(&**shape).is_some() {
            return;
        }
        if let Some(solid) = Solid::new(&**shape) {
            let registered = Registered { shape: shape.clone(), solid: solid.into() };
            self.solids.write().unwrap_or_else(PoisonError::into_inner).insert(address(&**shape), registered);
        }
    }

    /// Removes the shapes that nothing else uses any more.
    pub fn prune(&self) {
        let mut solids = self.solids.write().unwrap_or_else(PoisonError::into_inner);
        solids.retain(|_, registered| Arc::strong_count(&registered.shape.0) > 1);
    }

    fn solid(&self, shape: &dyn Shape) -> Option<Arc<Solid>> {
        let solids = self.solids.read().unwrap_or_else(PoisonError::into_inner);
        solids.get(&address(shape)).map(|registered| registered.solid.clone())
    }
}

/// The groups of contacts of two hulls: one, which is empty while they are apart, and keeps the direction in which they are.
fn groups_of_hulls<C: Copy + Default>(
    hulls: [&Hull; 2],
    placement: Placement,
    prediction: f64,
    guess: Option<Vector>,
    former: &Former<C>,
) -> Vec<Group> {
    let mut contacts = Vec::new();
    let normal = TOUCHING.with_borrow_mut(|touching| touching.of_single_hulls(hulls, &placement.pose, prediction, guess, &mut contacts));
    former.mark(&mut contacts);
    reduce(&mut contacts, &Plane::across(normal), prediction, CONTACTS);
    vec![Group { normal, contacts }]
}

impl<M, C> PersistentQueryDispatcher<M, C> for Dispatcher
where
    M: Default + Clone + Send + Sync,
    C: Default + Copy + Send + Sync,
{
    fn contact_manifolds(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
        prediction: f64,
        manifolds: &mut Vec<ContactManifold<M, C>>,
        workspace: &mut Option<ContactManifoldsWorkspace>,
    ) -> Result<(), Unsupported> {
        let (Some(first), Some(second)) = (self.solid(g1), self.solid(g2)) else {
            return DefaultQueryDispatcher.contact_manifolds(pos12, g1, g2, prediction, manifolds, workspace);
        };
        // With a workspace the library expects that the number of manifolds changes. One of an own type could be saved, but not loaded.
        workspace.get_or_insert_with(|| VoxelsShapeContactManifoldsWorkspace::<2>::new().into());
        let swapped = matches!(*second, Solid::Mesh(_));
        let placement = Placement::new(pos12, swapped);
        let former = |manifolds: &[_], recognition| Former::of(manifolds, placement, recognition, prediction);
        let joined = |former: Former<C>, manifolds: &mut Vec<_>, mut contacts: Vec<ContactPoint>| {
            former.mark(&mut contacts);
            former.replace(manifolds, join(contacts, prediction, CONTACTS));
        };
        match (&*first, &*second) {
            (Solid::Mesh(_), Solid::Mesh(_)) => manifolds.clear(),
            (Solid::Hull(one), Solid::Hull(other)) => {
                let former = former(manifolds, Recognition::Features);
                let guess = manifolds.first().map(|manifold| manifold.local_n1).and_then(Vector::try_normalize);
                let groups = groups_of_hulls([one, other], placement, prediction, guess, &former);
                former.replace(manifolds, groups);
            }
            (Solid::Mesh(mesh), body) | (body, Solid::Mesh(mesh)) => {
                let Some(shape) = (if swapped { g2 } else { g1 }).as_trimesh() else { return Err(Unsupported) };
                let contacts = TOUCHING.with_borrow_mut(|touching| touching.of_mesh((mesh, shape), body, &placement.pose, prediction));
                joined(former(manifolds, Recognition::Place), manifolds, contacts);
            }
            (one, other) => {
                let contacts = TOUCHING.with_borrow_mut(|touching| touching.of_parts([one, other], &placement.pose, prediction));
                joined(former(manifolds, Recognition::Place), manifolds, contacts);
            }
        }
        Ok(())
    }

    fn contact_manifold_convex_convex(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
        constraints1: Option<&dyn NormalConstraints>,
        constraints2: Option<&dyn NormalConstraints>,
        prediction: f64,
        manifold: &mut ContactManifold<M, C>,
    ) -> Result<(), Unsupported> {
        DefaultQueryDispatcher.contact_manifold_convex_convex(pos12, g1, g2, constraints1, constraints2, prediction, manifold)
    }
}

/// All other queries are answered by the library.
impl QueryDispatcher for Dispatcher {
    fn intersection_test(&self, pos12: &Pose, g1: &dyn Shape, g2: &dyn Shape) -> Result<ShapeIntersection, Unsupported> {
        DefaultQueryDispatcher.intersection_test(pos12, g1, g2)
    }

    fn distance(&self, pos12: &Pose, g1: &dyn Shape, g2: &dyn Shape) -> Result<ShapeDistance, Unsupported> {
        DefaultQueryDispatcher.distance(pos12, g1, g2)
    }

    fn contact(&self, pos12: &Pose, g1: &dyn Shape, g2: &dyn Shape, prediction: f64) -> Result<Option<Contact>, Unsupported> {
        DefaultQueryDispatcher.contact(pos12, g1, g2, prediction)
    }

    fn closest_points(&self, pos12: &Pose, g1: &dyn Shape, g2: &dyn Shape, max_dist: f64) -> Result<ClosestPoints, Unsupported> {
        DefaultQueryDispatcher.closest_points(pos12, g1, g2, max_dist)
    }

    fn cast_shapes(
        &self,
        pos12: &Pose,
        local_vel12: Vector,
        g1: &dyn Shape,
        g2: &dyn Shape,
        options: ShapeCastOptions,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        DefaultQueryDispatcher.cast_shapes(pos12, local_vel12, g1, g2, options)
    }

    fn cast_shapes_nonlinear(
        &self,
        motion1: &NonlinearRigidMotion,
        g1: &dyn Shape,
        motion2: &NonlinearRigidMotion,
        g2: &dyn Shape,
        start_time: f64,
        end_time: f64,
        stop_at_penetration: bool,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        DefaultQueryDispatcher.cast_shapes_nonlinear(motion1, g1, motion2, g2, start_time, end_time, stop_at_penetration)
    }
}
