//! interim
use super::label::Labels;
use super::totals::Totals;
use super::Settings;
use crate::event::{Event, Syscall};
use crate::probe::SelfCost;
use std::io::Write;
use std::time::Duration;

/// x
pub enum OutputError { /// x
 Closed, /// x
 Failed(anyhow::Error) }
/// x
pub struct Output { labels: Labels, out: Box<dyn Write + Send> }
impl Output {
    /// x
    pub fn open(settings: &Settings) -> anyhow::Result<Self> {
        let out: Box<dyn Write + Send> = match &settings.output { Some(p) => Box::new(std::io::BufWriter::new(std::fs::File::create(p)?)), None => Box::new(std::io::BufWriter::new(std::io::stderr())) };
        Ok(Self { labels: Labels::default(), out })
    }
    /// x
    pub fn labels(&mut self) -> &mut Labels { &mut self.labels }
    /// x
    pub fn event(&mut self, e: &Event, t: &mut Totals) -> Result<(), OutputError> {
        match e { Event::Syscall(c) => { t.delivered += 1; 
            let n = crate::syscall::table::name(c.abi, c.nr).unwrap_or("?");
            let _ = write!(self.out, "{} {n}({:x?}) {:?} {} {:?} ", c.tid.0, c.args, c.end, c.duration_ns, c.wait);
            for cap in c.captures.iter() { let _ = write!(self.out, "[{} {:?} {:?} {:?} {} {:?}]", cap.arg, cap.kind, cap.status, cap.phase, cap.elem, String::from_utf8_lossy(cap.bytes)); }
            let _ = writeln!(self.out);
        }
        Event::File(f) => { let _ = writeln!(self.out, "FILE {:?} {:?}", f.raw, String::from_utf8_lossy(f.payload)); }
        other => { let _ = writeln!(self.out, "{other:?}"); } }
        Ok(())
    }
    /// x
    pub fn flush(&mut self) -> Result<(), OutputError> { let _ = self.out.flush(); Ok(()) }
    /// x
    pub fn loss(&mut self, n: u64) -> Result<(), OutputError> { eprintln!("lost {n}"); Ok(()) }
    /// x
    pub fn text(&mut self, t: &str) -> anyhow::Result<()> { self.out.write_all(t.as_bytes())?; Ok(()) }
    /// x
    pub fn stuck(&mut self, c: &Syscall, state: Option<char>, f: &[&str]) -> Result<(), OutputError> { eprintln!("STUCK {:?} {state:?} {f:?}", c); Ok(()) }
    /// x
    pub fn summary(&mut self, t: &Totals, costs: &[SelfCost], d: Duration, a: Duration) -> anyhow::Result<()> { self.out.flush()?; eprintln!("{} {costs:?} {d:?} attach {a:?}", t.line()); Ok(()) }
}
