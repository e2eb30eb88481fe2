//! Waiting for descriptors.

use super::call;

fn pollfd(fd: i32, events: u16, revents: u16) -> Vec<u8> {
    [&fd.to_ne_bytes()[..], &events.to_ne_bytes(), &revents.to_ne_bytes()].concat()
}

#[test]
fn polls_show_what_was_asked_and_what_came() {
    let two = [pollfd(4, 1, 0), pollfd(6, 4, 4)].concat();
    assert_eq!(
        call("poll", &[0x1000, 2, 100]).exit(0, &two).ret(1).line(),
        "poll([{fd=4<pipe:[42]>, events=POLLIN}, {fd=6, events=POLLOUT}], 2, 100) = 1 ([{fd=6, revents=POLLOUT}])"
    );
    assert_eq!(
        call("poll", &[0x1000, 1, -1i32 as u32 as u64]).exit(0, &pollfd(-1, 1, 0)).line(),
        "poll([{fd=-1}], 1, -1) = 0 (Timeout)"
    );
    let left = [1u64, 2].map(u64::to_ne_bytes).concat();
    assert_eq!(
        call("ppoll", &[0x1000, 1, 0x2000, 0, 8])
            .enter(2, &[2u64, 0].map(u64::to_ne_bytes).concat())
            .exit(0, &pollfd(4, 1, 1))
            .exit(2, &left)
            .ret(1)
            .line(),
        "ppoll([{fd=4<pipe:[42]>, events=POLLIN}], 1, {tv_sec=2, tv_nsec=0}, NULL, 8) = 1 ([{fd=4, revents=POLLIN}], left {tv_sec=1, tv_nsec=2})"
    );
}

#[test]
fn selects_show_their_sets_and_what_is_left() {
    let mut set = [0; 128];
    set[0] = 1 << 4 | 1 << 6;
    let mut ready = [0; 128];
    ready[0] = 1 << 6;
    let time = |s: u64| [s, 0].map(u64::to_ne_bytes).concat();
    let select = call("pselect6", &[7, 0x1000, 0, 0, 0x2000, 0])
        .enter(1, &set)
        .enter(4, &time(2))
        .exit(1, &ready)
        .exit(4, &time(1));
    assert_eq!(
        select.ret(1).line(),
        "pselect6(7, [4<pipe:[42]> 6], NULL, NULL, {tv_sec=2, tv_nsec=0}, NULL) = 1 (in [6], left {tv_sec=1, tv_nsec=0})"
    );
    assert_eq!(call("select", &[0, 0, 0, 0, 0]).line(), "select(0, NULL, NULL, NULL, NULL) = 0 (Timeout)");
}

#[test]
fn epolls_show_events_and_registrations() {
    let event = [&1u32.to_ne_bytes()[..], &4u64.to_ne_bytes()].concat();
    assert_eq!(
        call("epoll_wait", &[7, 0x1000, 1023, 100]).exit(1, &event).ret(1).line(),
        "epoll_wait(7, [{events=EPOLLIN, data={u32=4, u64=4}}], 1023, 100) = 1"
    );
    assert_eq!(call("epoll_wait", &[7, 0x1000, 1023, 10]).line(), "epoll_wait(7, [], 1023, 10) = 0");
    assert_eq!(
        call("epoll_ctl", &[7, 1, 4, 0x1000]).file(2, 0, 3).exit(3, &event).line(),
        "epoll_ctl(7, EPOLL_CTL_ADD, 4<pipe:[42]>, {events=EPOLLIN, data={u32=4, u64=4}}) = 0"
    );
    assert_eq!(
        call("epoll_ctl", &[7, 2, 4, 0x1000]).exit(3, &event).line(),
        "epoll_ctl(7, EPOLL_CTL_DEL, 4, 0x1000) = 0"
    );
}
