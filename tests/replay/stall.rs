//! The labelled stalls: how many the classifier gets right, and how often it is wrong while it says it is sure.

use sysprobe::explain::cause::{Class, Confidence};
use sysprobe::explain::classify::{Verdict, classify};
use sysprobe::explain::line::Line;
use sysprobe::explain::stack::{Assembler, Mode, TaskStack};

use crate::cases;

/// One row of `labels.tsv`.
pub struct Label {
    pub file: String,
    pub class: String,
    pub frame: String,
    pub accepted: String,
}

impl Label {
    /// The class itself or one named in the column of other accepted answers.
    fn accepts(&self, class: Class) -> bool {
        class.as_str() == self.class
            || self.accepted.split(';').any(|other| other.trim().split(' ').next() == Some(class.as_str()))
    }
}

fn labels() -> Vec<Label> {
    let table = std::fs::read_to_string(cases().join("labels.tsv")).unwrap_or_default();
    let rows = table.lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>());
    rows.map(|row| Label {
        file: row[0].to_owned(),
        class: row[1].to_owned(),
        frame: row[3].to_owned(),
        accepted: row[5].to_owned(),
    })
    .collect()
}

fn tasks(mode: Mode, text: &str) -> Vec<TaskStack> {
    let mut assembler = Assembler::new(mode);
    let mut tasks = Vec::new();
    for (number, raw) in text.lines().enumerate() {
        tasks.extend(assembler.feed(number as u64 + 1, &Line::parse(raw)));
    }
    tasks.extend(assembler.finish());
    tasks.retain(TaskStack::has_frames);
    tasks
}

/// The task that the label is of: the first one that shows the deciding frame, else the first one.
fn verdict(label: &Label, tasks: &[TaskStack]) -> Option<Verdict> {
    let frame = label.frame.split(' ').next().unwrap_or("");
    let shows = |task: &&TaskStack| task.frames.iter().any(|f| f.name == frame);
    let task = tasks.iter().find(shows).or_else(|| tasks.first())?;
    Some(classify(&task.frames, &task.unreliable))
}

#[test]
fn labelled_stalls_are_classified_right() {
    let (mut right, mut exact, mut sure_and_wrong, mut total) = (0, 0, 0, 0);
    for label in labels() {
        let bytes = std::fs::read(cases().join(&label.file)).expect("a case");
        let text = String::from_utf8_lossy(&bytes);
        let verdict = verdict(&label, &tasks(Mode::Stack, &text));
        let class = verdict.as_ref().map_or(Class::Unknown, |v| v.class);
        let confidence = verdict.as_ref().map_or(Confidence::Low, |v| v.confidence);
        total += 1;
        let ok = label.accepts(class);
        right += usize::from(ok);
        exact += usize::from(class.as_str() == label.class);
        sure_and_wrong += usize::from(!ok && class != Class::Unknown && confidence == Confidence::High);
        let frame = verdict.as_ref().and_then(|v| v.deciding.as_ref()).map_or("-", |f| f.name.as_str());
        let mark = if ok { "  " } else { "!!" };
        println!(
            "{mark} {:<45} want {:<22} got {:<22} {:<7} at {frame} (label: {})",
            label.file,
            label.class,
            class.as_str(),
            confidence.as_str(),
            label.frame
        );
    }
    println!("{right} of {total} right, {exact} with the first class, {sure_and_wrong} wrong with high confidence");
    assert!(total >= 115, "only {total} cases were read");
    assert!(right * 100 >= total * 95, "{right} of {total} right: below 95 %");
    assert!(sure_and_wrong * 100 <= total * 2, "{sure_and_wrong} of {total} confidently wrong: above 2 %");
}
