//! What a cgroup path says: which container and which job a process belongs to.
//!
//! Runtimes and schedulers name their cgroups in known ways; only those names are read, nothing is asked of a daemon
//! and no environment is looked at. Both cgroup versions and both of systemd's and cgroupfs's styles are known.

/// What `/proc/PID/cgroup` says of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CgroupFacts {
    /// The path that tells the most: the version 2 one, or, where that is the root, a version 1 controller's.
    pub path: Option<String>,
    /// The container: `docker://ID`, `containerd://ID`, `cri-o://ID`, `podman://ID`, `lxc://NAME`, `nspawn://NAME`, or a bare
    /// ID where the path does not name the runtime.
    pub container: Option<String>,
    /// The job: `slurm:JOB.STEP`, `pod:UID` (Kubernetes), or `unit:NAME` (a systemd service).
    pub job: Option<String>,
}

/// The version 1 hierarchies in the order of how much they tell.
const TELLING: [&str; 5] = ["memory", "pids", "cpu", "devices", "name=systemd"];

/// Reads the text of `/proc/PID/cgroup` (cgroups(7)).
pub fn cgroup_facts(text: &str) -> CgroupFacts {
    let rows: Vec<(&str, &str)> = text
        .lines()
        .filter_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            path.starts_with('/').then_some((controllers, path))
        })
        .collect();
    let unified = rows.iter().find(|(controllers, _)| controllers.is_empty()).map(|(_, path)| *path);
    let legacy = TELLING.iter().filter_map(|wanted| {
        rows.iter().find(|(controllers, _)| controllers.split(',').any(|c| c == *wanted)).map(|(_, path)| *path)
    });
    let ordered: Vec<&str> = unified.into_iter().chain(legacy).collect();
    let path = ordered.iter().find(|path| **path != "/").or(ordered.first());
    CgroupFacts {
        path: path.map(|p| (*p).to_owned()),
        container: ordered.iter().find_map(|path| container_of(path)),
        job: ordered.iter().find_map(|path| job_of(path)),
    }
}

/// The innermost container on a path.
fn container_of(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').filter(|p| !p.is_empty()).collect();
    (0..parts.len()).rev().find_map(|at| {
        let part = parts.get(at)?;
        let parent = at.checked_sub(1).and_then(|above| parts.get(above)).copied();
        container_part(part, parent)
    })
}

fn container_part(part: &str, parent: Option<&str>) -> Option<String> {
    // cgroupfs style of some runtimes: SLICE:PREFIX:ID
    let part = part.rsplit(':').next().filter(|id| is_id(id)).unwrap_or(part);
    let bare = part.strip_suffix(".scope").unwrap_or(part);
    let prefixes = [
        ("docker-", "docker"),
        ("cri-containerd-", "containerd"),
        ("nerdctl-", "containerd"),
        ("crio-", "cri-o"),
        ("libpod-", "podman"),
    ];
    for (prefix, runtime) in prefixes {
        if let Some(id) = bare.strip_prefix(prefix).filter(|id| is_id(id)) {
            return Some(format!("{runtime}://{id}"));
        }
    }
    if let Some(name) = bare.strip_prefix("lxc.payload.") {
        return Some(format!("lxc://{name}"));
    }
    if let Some(name) = bare.strip_prefix("machine-").filter(|_| part.ends_with(".scope")) {
        return Some(format!("nspawn://{}", unescape_unit(name)));
    }
    match parent {
        Some("docker") if is_id(bare) => Some(format!("docker://{bare}")),
        Some("lxc" | "lxc.payload") if !bare.is_empty() => Some(format!("lxc://{bare}")),
        _ => is_id(bare).then(|| bare.to_owned()),
    }
}

/// Runtimes name containers by 64 hexadecimal digits.
fn is_id(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// systemd writes special characters of a name as `\xNN`; only the usual one, the dash, is undone.
fn unescape_unit(name: &str) -> String {
    name.replace("\\x2d", "-")
}

/// The job on a path: a scheduler's before a pod's before a service's.
fn job_of(path: &str) -> Option<String> {
    let parts = || path.split('/').filter(|p| !p.is_empty());
    if parts().any(|p| p == "slurm" || p.starts_with("slurmstepd") || p.starts_with("slurm_")) {
        let after = |prefix: &str| parts().find_map(|p| p.strip_prefix(prefix).map(str::to_owned));
        if let Some(job) = after("job_") {
            return Some(after("step_").map_or(format!("slurm:{job}"), |step| format!("slurm:{job}.{step}")));
        }
    }
    if let Some(uid) = parts().find_map(pod_uid) {
        return Some(format!("pod:{uid}"));
    }
    let service = parts().rfind(|p| p.ends_with(".service") && !p.starts_with("user@"))?;
    Some(format!("unit:{service}"))
}

/// `podUID`, or `kubepods-QOS-podUID.slice` with the UID's dashes written as underscores.
fn pod_uid(part: &str) -> Option<String> {
    let part = part.split(':').next()?;
    let bare = part.strip_suffix(".slice").unwrap_or(part);
    let uid = if bare.starts_with("kubepods") { bare.rsplit_once("-pod")?.1 } else { bare.strip_prefix("pod")? };
    let is_uid = uid.len() >= 32 && uid.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-' || b == b'_');
    is_uid.then(|| uid.replace('_', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    const UID: &str = "6f1d9b1a-2c7e-4a39-9d41-3c0f5c8a7e21";

    fn of(path: &str) -> (Option<String>, Option<String>) {
        let facts = cgroup_facts(&format!("0::{path}\n"));
        assert_eq!(facts.path.as_deref(), Some(path));
        (facts.container, facts.job)
    }

    #[test]
    fn containers_are_named_by_runtime_and_id() {
        let some = |text: String| (Some(text), None);
        assert_eq!(of(&format!("/docker/{ID}")), some(format!("docker://{ID}")));
        assert_eq!(of(&format!("/system.slice/docker-{ID}.scope")), some(format!("docker://{ID}")));
        assert_eq!(of(&format!("/machine.slice/libpod-{ID}.scope/container")), some(format!("podman://{ID}")));
        assert_eq!(of("/lxc.payload.web/init.scope"), some("lxc://web".into()));
        assert_eq!(of("/lxc/web"), some("lxc://web".into()));
        assert_eq!(of("/machine.slice/machine-my\\x2dbox.scope"), some("nspawn://my-box".into()));
        assert_eq!(of(&format!("/ecs/task/{ID}")), some(ID.into()));
    }

    #[test]
    fn pods_are_jobs_in_every_style() {
        let under = UID.replace('-', "_");
        let systemd = format!(
            "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{under}.slice/cri-containerd-{ID}.scope"
        );
        let pod = Some(format!("pod:{UID}"));
        assert_eq!(of(&systemd), (Some(format!("containerd://{ID}")), pod.clone()));
        assert_eq!(of(&format!("/kubepods/besteffort/pod{UID}/{ID}")), (Some(ID.into()), pod.clone()));
        assert_eq!(of(&format!("/kubepods-pod{under}.slice:cri-containerd:{ID}")), (Some(ID.into()), pod.clone()));
        let crio = format!("/kubepods.slice/kubepods-pod{under}.slice/crio-{ID}.scope");
        assert_eq!(of(&crio), (Some(format!("cri-o://{ID}")), pod));
    }

    #[test]
    fn scheduler_jobs_and_services_are_named() {
        assert_eq!(of("/slurm/uid_1000/job_77/step_0/task_1").1.as_deref(), Some("slurm:77.0"));
        assert_eq!(
            of("/system.slice/slurmstepd.scope/job_77/step_batch/user/task_0").1.as_deref(),
            Some("slurm:77.batch")
        );
        assert_eq!(of("/system.slice/nginx.service"), (None, Some("unit:nginx.service".into())));
        assert_eq!(of("/user.slice/user-1000.slice/user@1000.service/app.slice/x.scope"), (None, None));
        assert_eq!(of("/home/job_3"), (None, None));
    }

    #[test]
    fn the_path_that_tells_the_most_is_taken() {
        let hybrid = format!("9:name=systemd:/\n4:memory:/docker/{ID}\n1:cpu,cpuacct:/\n0::/\n");
        let facts = cgroup_facts(&hybrid);
        assert_eq!(facts.path, Some(format!("/docker/{ID}")));
        assert_eq!(facts.container, Some(format!("docker://{ID}")));
        assert_eq!(cgroup_facts("0::/\n").path.as_deref(), Some("/"));
        assert_eq!(cgroup_facts("nonsense\n:::\n"), CgroupFacts::default());
    }
}
