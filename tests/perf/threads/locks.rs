// SPDX-License-Identifier: GPL-2.0-or-later
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{mpsc, Arc, Condvar, Mutex, RwLock};
use std::thread;

fn main() {
    let counts: Arc<Mutex<HashMap<usize, usize>>> = Arc::default();
    let best = Arc::new(RwLock::new(0));
    let next = Arc::new(AtomicUsize::new(0));
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let (sender, receiver) = mpsc::channel();
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let (counts, best, next, gate, sender) = (counts.clone(), best.clone(), next.clone(), gate.clone(), sender.clone());
            thread::spawn(move || {
                let mut open = gate.0.lock().unwrap();
                while !*open {
                    open = gate.1.wait(open).unwrap();
                }
                drop(open);
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= 100 {
                        break;
                    }
                    let values: Vec<usize> = (0..n).map(|i| i * 37 % 101).collect();
                    *counts.lock().unwrap().entry(n % 7).or_insert(0) += 1;
                    if *best.read().unwrap() < n {
                        *best.write().unwrap() = n;
                    }
                    sender.send(values.iter().sum::<usize>()).unwrap();
                }
            })
        })
        .collect();
    drop(sender);
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
    let total: usize = receiver.iter().sum();
    for worker in workers {
        worker.join().unwrap();
    }
    println!("{} {} {}", total, best.read().unwrap(), counts.lock().unwrap().len());
}
