//! (to be written)
#![no_std]
#![no_main]
