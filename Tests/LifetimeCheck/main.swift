// Starts and stops taps on ALSA's device `null` and says what the system has of this process before and after. A program of its own, as
// memory in use grows with everything that is done among the tests. CaptureLifetimeTests compiles it against the library and runs it.
//
//   lifetime-check CYCLES SEED [--plant leak]
import Foundation
import Glibc

@testable import Audio

let arguments = CommandLine.arguments
let cycleCount = arguments.count > 1 ? Int(arguments[1]) ?? 0 : 0
var random = Generator(state: arguments.count > 2 ? UInt64(arguments[2]) ?? 1 : 1)
let isLeaking = arguments.count > 3

struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 33)
    }
}

/// One tap on `null`, which ends at a moment and in a way of the generator's choice.
func live(using random: inout Generator) async throws {
    var tap: CaptureTap? = CaptureTap(
        CaptureConfiguration(device: "null", deviceSampleRate: 16_000, bufferDuration: 0.1))
    let blocks = tap!.blocks
    let reads = Int.random(in: 0...2, using: &random)
    let way = Int.random(in: 0..<6, using: &random)
    let reader = Task {
        var left = reads
        for try await _ in blocks {
            left -= 1
            if left <= 0 { break }
        }
    }
    if way != 0 { try await tap!.start() }
    for _ in 0..<Int.random(in: 0...20, using: &random) { await Task.yield() }
    switch way {
    case 0, 1: break
    case 2: reader.cancel()
    default: await tap!.stop()
    }
    tap = nil
    _ = await reader.result
}

/// Taps that nobody lets go.
var leaked: [CaptureTap] = []

/// What the system says of this process.
struct Figures: CustomStringConvertible {
    /// Once Dispatch has let its threads go, and their stacks and stocks of free memory with them: then there are the main thread and the
    /// two that wait for its events.
    static var settled: Figures {
        for _ in 0..<1_000 where entries("/proc/self/task") > 3 { poll(nil, 0, 20) }
        return Figures()
    }

    let threads = entries("/proc/self/task")
    let descriptors = entries("/proc/self/fd")
    let mappings = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8))?.split(separator: "\n").count ?? 0
    /// In pages. Mappings side by side can become one.
    let mappedPages =
        (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ").first.flatMap {
            Int($0)
        } ?? 0
    /// In use, in bytes.
    let heap = heapInUse()

    var description: String {
        "\(threads) threads, \(descriptors) descriptors, \(mappings) mappings of \(mappedPages) pages, \(heap) bytes of heap"
    }

    private static func entries(_ folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: folder))?.count ?? -1
    }

    /// C: `malloc_info`
    private static func heapInUse() -> Int {
        var text: UnsafeMutablePointer<CChar>?
        var length = 0
        let stream = open_memstream(&text, &length)
        // Not in the Glibc module.
        typealias Report = @convention(c) (Int32, OpaquePointer?) -> Int32
        if let address = dlsym(nil, "malloc_info") {
            _ = unsafeBitCast(address, to: Report.self)(0, stream.map { OpaquePointer($0) })
        }
        fclose(stream)
        defer { free(text) }
        let report = text.map { String(cString: $0) } ?? ""
        // Behind the last heap come the sums: what is free in bins, and what the system gave.
        let sums = report.components(separatedBy: "</heap>").last ?? ""
        func size(_ kind: String, _ type: String) -> Int {
            guard let element = sums.range(of: "<\(kind) type=\"\(type)\""),
                let number = sums[element.upperBound...].range(of: "size=\"")
            else { return 0 }
            return Int(sums[number.upperBound...].prefix { $0.isNumber }) ?? 0
        }
        return size("system", "current") + size("total", "mmap") - size("total", "fast") - size("total", "rest")
    }
}

// One heap for all threads, as otherwise the C library makes one for each of the first of them.
typealias SetOption = @convention(c) (Int32, Int32) -> Int32
let arenaMaximum: Int32 = -8
guard let address = dlsym(nil, "mallopt"), unsafeBitCast(address, to: SetOption.self)(arenaMaximum, 1) == 1 else {
    fatalError("mallopt")
}

// Until Dispatch has as many odds and ends in stock as it keeps.
for _ in 0..<300 { try await live(using: &random) }
let early = Figures.settled
for cycle in 0..<cycleCount {
    try await live(using: &random)
    if isLeaking, cycle % 50 == 0 {
        leaked.append(CaptureTap(CaptureConfiguration(device: "null", bufferDuration: 0.1)))
    }
}
let late = Figures.settled
print(
    """
    before: \(early)
    after: \(late)
    more: \(late.threads - early.threads) \(late.descriptors - early.descriptors) \(late.mappings - early.mappings) \
    \(late.mappedPages - early.mappedPages) \(late.heap - early.heap)
    """)
