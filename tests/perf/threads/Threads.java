// SPDX-License-Identifier: GPL-2.0-or-later
import java.util.concurrent.*;
public class Threads {
    public static void main(String[] arguments) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        ConcurrentHashMap<Integer, Integer> table = new ConcurrentHashMap<>();
        CountDownLatch done = new CountDownLatch(30);
        for (int i = 0; i < 30; i++) {
            final int n = i;
            pool.execute(() -> { table.merge(n % 7, 1, Integer::sum); done.countDown(); });
        }
        done.await();
        pool.shutdown();
        System.out.println(table);
    }
}
