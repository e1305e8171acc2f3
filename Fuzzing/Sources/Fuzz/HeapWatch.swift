import CFuzzer
import Synchronization

/// Counts allocated bytes through the hooks of AddressSanitizer.
enum HeapWatch {
    private static let live = Atomic(0)
    private static let highest = Atomic(0)

    private static let isInstalled: Bool = {
        // The hooks must not allocate, so everything that they use is initialized before.
        live.store(0, ordering: .relaxed)
        highest.store(0, ordering: .relaxed)
        let slot = __sanitizer_install_malloc_and_free_hooks(
            { _, size in
                let now = HeapWatch.live.add(Int(size), ordering: .relaxed).newValue
                HeapWatch.highest.max(now, ordering: .relaxed)
            },
            { pointer in HeapWatch.live.subtract(Int(__sanitizer_get_allocated_size(pointer)), ordering: .relaxed) })
        return slot > 0
    }()

    /// The highest number of bytes that were allocated while `body` ran, beyond those before.
    static func peak(of body: () -> Void) -> Int {
        require(isInstalled, "the heap can be watched")
        let before = live.load(ordering: .relaxed)
        highest.store(before, ordering: .relaxed)
        body()
        return highest.load(ordering: .relaxed) - before
    }
}
