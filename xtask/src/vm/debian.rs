//! Kernels to boot: the newest point release of a series that Debian has now, unpacked into `target/vm/kernels/`.
//!
//! Old point releases vanish from the archive, so a version is never pinned: the series is, and apt is asked. A private
//! apt configuration reads suites that this machine's own does not, without touching it; nothing is installed.
//! A kernel unpacked before is used when the archive cannot be reached.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::vmlinux;
use crate::shell::output;

/// Suites that hold kernels: every supported release's updates, and the backports of the newest one for mainline.
const SUITES: [(Archive, &str); 5] = [
    (Archive::Security, "bullseye-security"),
    (Archive::Main, "bookworm"),
    (Archive::Security, "bookworm-security"),
    (Archive::Security, "trixie-security"),
    (Archive::Main, "trixie-backports"),
];

const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Package lists older than this are fetched again.
const LISTS_KEPT: Duration = Duration::from_secs(24 * 3600);

#[derive(Clone, Copy, PartialEq)]
enum Archive {
    Main,
    Security,
}

/// Debian's archive, read by apt with a configuration of its own.
pub struct Debian {
    dir: PathBuf,
    names: Vec<String>,
    /// Why the archive could not be read, where only what was unpacked before is left.
    offline: Option<String>,
}

/// An unpacked kernel that can be booted.
pub struct Kernel {
    /// As `uname -r` says it.
    pub release: String,
    pub vmlinux: PathBuf,
    /// Its `lib/modules/RELEASE`.
    pub modules: PathBuf,
}

impl Debian {
    /// Reads the package names (and refreshes the lists once a day).
    pub fn open(dir: &Path) -> Result<Self> {
        let dir = dir.to_path_buf();
        let mut debian = Self { dir, names: Vec::new(), offline: None };
        match debian.refresh() {
            Ok(()) => {}
            Err(why) => debian.offline = Some(format!("{why:#}")),
        }
        let found = debian.apt("apt-cache", &["search", "--names-only", "^linux-(image|binary|modules)-[0-9]"]);
        debian.names =
            found.unwrap_or_default().lines().filter_map(|line| Some(line.split_once(' ')?.0.into())).collect();
        Ok(debian)
    }

    /// The newest kernel of a series (`6.12`), or of all (`newest`).
    pub fn kernel(&self, series: &str) -> Result<Kernel> {
        let wanted = self.newest(series);
        // An older series must not stand in for the newest one while the archive says which that is.
        let kept = match &wanted {
            Some(wanted) => newest_of(self.unpacked(), &series_of(wanted)),
            None => newest_of(self.unpacked(), series),
        };
        match (wanted, kept) {
            (Some(wanted), Some(kept)) if wanted == kept => self.open_unpacked(&kept),
            (Some(wanted), kept) => match (self.fetch(&wanted), kept) {
                (Ok(()), _) => self.open_unpacked(&wanted),
                (Err(why), Some(kept)) => {
                    eprintln!("vm: {wanted} could not be fetched ({why:#}); using {kept}");
                    self.open_unpacked(&kept)
                }
                (Err(why), None) => Err(why),
            },
            (None, Some(kept)) => self.open_unpacked(&kept),
            (None, None) => bail!("{}", self.offline.as_deref().unwrap_or("Debian has no such kernel now")),
        }
    }

    fn newest(&self, series: &str) -> Option<String> {
        let versions = self.names.iter().filter_map(|name| {
            let version = name.strip_prefix("linux-image-").or_else(|| name.strip_prefix("linux-binary-"))?;
            version.strip_suffix("-amd64").map(str::to_owned)
        });
        newest_of(versions, series).map(|version| version + "-amd64")
    }

    fn unpacked(&self) -> impl Iterator<Item = String> {
        let entries = std::fs::read_dir(self.dir.join("kernels")).into_iter().flatten().flatten();
        entries
            .filter(|entry| entry.path().join("vmlinux").is_file())
            .filter_map(|entry| entry.file_name().into_string().ok())
    }

    fn open_unpacked(&self, release: &str) -> Result<Kernel> {
        let dir = self.dir.join("kernels").join(release);
        // Merged-/usr packages ship /usr/lib.
        let modules = ["lib/modules", "usr/lib/modules"].map(|folder| dir.join(folder).join(release));
        let modules = modules.into_iter().find(|path| path.is_dir()).context("the package has no modules")?;
        Ok(Kernel { release: release.to_owned(), vmlinux: dir.join("vmlinux"), modules })
    }

    fn fetch(&self, release: &str) -> Result<()> {
        let has = |kind: &str| self.names.iter().any(|name| *name == format!("linux-{kind}-{release}"));
        // From 6.19 on the image package is empty and pulls in two others.
        let kinds: &[&str] = if has("binary") && has("modules") { &["binary", "modules"] } else { &["image"] };
        let dir = self.dir.join("kernels").join(release);
        let debs = self.dir.join("debs");
        remake(&dir)?;
        remake(&debs)?;
        for kind in kinds {
            let package = format!("linux-{kind}-{release}");
            eprintln!("vm: fetching {package}");
            let mut download = self.apt_command("apt-get", &["-qq", "download", &package])?;
            output(download.current_dir(&debs))?;
        }
        for deb in std::fs::read_dir(&debs)? {
            output(Command::new("dpkg-deb").arg("-x").arg(deb?.path()).arg(&dir))?;
        }
        std::fs::remove_dir_all(&debs)?;
        let places = [format!("boot/vmlinuz-{release}"), format!("usr/lib/modules/{release}/vmlinuz")];
        let image = places.iter().map(|place| dir.join(place)).find(|path| path.is_file());
        vmlinux::extract(&image.context("the package has no kernel image")?, &dir.join("vmlinux"))
    }

    fn refresh(&self) -> Result<()> {
        let stamp = self.dir.join("apt/refreshed");
        let age = std::fs::metadata(&stamp).and_then(|meta| meta.modified()).ok().and_then(|then| then.elapsed().ok());
        if age.is_some_and(|age| age < LISTS_KEPT) {
            return Ok(());
        }
        for folder in ["lists/partial", "cache/archives/partial"] {
            std::fs::create_dir_all(self.dir.join("apt").join(folder))?;
        }
        std::fs::write(self.dir.join("apt/sources.list"), sources()?)?;
        std::fs::write(self.dir.join("apt/apt.conf"), self.configuration())?;
        eprintln!("vm: reading Debian's package lists");
        self.apt("apt-get", &["-qq", "update"])?;
        std::fs::write(stamp, "")?;
        Ok(())
    }

    fn configuration(&self) -> String {
        let apt = self.dir.join("apt").display().to_string();
        format!(
            "Dir::State::lists \"{apt}/lists\";\nDir::Cache \"{apt}/cache\";\nDir::Etc::sourcelist \"{apt}/sources.list\";\n\
             Dir::Etc::sourceparts \"-\";\nAcquire::Languages \"none\";\nAcquire::IndexTargets::deb::DEP-11::DefaultEnabled \"false\";\n\
             APT::Architecture \"amd64\";\nAPT::Sandbox::User \"\";\nAPT::Update::Post-Invoke-Success \"\";\n"
        )
    }

    fn apt(&self, program: &str, args: &[&str]) -> Result<String> {
        output(&mut self.apt_command(program, args)?)
    }

    fn apt_command(&self, program: &str, args: &[&str]) -> Result<Command> {
        let mut command = Command::new(program);
        command.args(args).env("APT_CONFIG", self.dir.join("apt/apt.conf")).env("LC_ALL", "C");
        Ok(command)
    }
}

/// The sources of the suites, at the mirror that this machine already uses.
fn sources() -> Result<String> {
    let mirror = match std::env::var("SYSPROBE_DEBIAN_MIRROR") {
        Ok(mirror) => mirror,
        Err(_) => own_mirror()?,
    };
    if !Path::new(KEYRING).is_file() {
        bail!("{KEYRING} is missing; install debian-archive-keyring");
    }
    let mirror = mirror.trim_end_matches('/');
    let line = |(archive, suite): (Archive, &str)| {
        let suffix = if archive == Archive::Security { "-security" } else { "" };
        format!("deb [signed-by={KEYRING}] {mirror}{suffix} {suite} main\n")
    };
    Ok(SUITES.map(line).concat())
}

fn own_mirror() -> Result<String> {
    let uris = output(Command::new("apt-get").args(["indextargets", "--format", "$(REPO_URI)"]))?;
    let own = uris.lines().map(|uri| uri.trim_end_matches('/')).find(|uri| uri.ends_with("/debian"));
    own.map(str::to_owned).context("this machine's apt knows no Debian mirror; set SYSPROBE_DEBIAN_MIRROR to one's URL")
}

/// The newest of `versions` that belongs to `series`; flavours (cloud, rt), metapackages and backports to older releases are no candidates.
fn newest_of(versions: impl Iterator<Item = String>, series: &str) -> Option<String> {
    let belongs = |version: &String| {
        let plain = version.strip_suffix("-amd64").unwrap_or(version);
        let flavoured =
            ["cloud", "rt", "unsigned", "dbg"].iter().any(|flavour| plain.ends_with(&format!("-{flavour}")));
        let in_series = series == "newest" || plain.strip_prefix(series).is_some_and(|rest| rest.starts_with('.'));
        !flavoured && !plain.contains("-0.deb") && numbers(plain).len() > 2 && in_series
    };
    versions.filter(belongs).max_by_key(|version| numbers(version.strip_suffix("-amd64").unwrap_or(version)))
}

/// `6.12` of `6.12.118+deb13-amd64`.
fn series_of(release: &str) -> String {
    release.split('.').take(2).collect::<Vec<_>>().join(".")
}

fn numbers(version: &str) -> Vec<u32> {
    version.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

fn remake(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn newest(series: &str) -> Option<String> {
        let versions = [
            "5.10.0-9",
            "5.10.0-46",
            "6.1",
            "6.1.0-57",
            "6.1.0-0.deb11.58",
            "6.1.0-58-cloud",
            "6.12.99+deb12",
            "6.12.118+deb13",
            "7.3.4+deb13",
        ];
        newest_of(versions.iter().map(|version| (*version).to_owned()), series)
    }

    #[test]
    fn the_newest_point_release_is_taken_by_number() {
        assert_eq!(newest("5.10").as_deref(), Some("5.10.0-46"));
        assert_eq!(newest("6.1").as_deref(), Some("6.1.0-57"));
        assert_eq!(newest("6.12").as_deref(), Some("6.12.118+deb13"));
        assert_eq!(newest("newest").as_deref(), Some("7.3.4+deb13"));
        assert_eq!(newest("4.19"), None);
    }
}
