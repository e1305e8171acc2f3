import CLinux
import Dispatch
import Glibc

/// Reports that the network may have come back: an interface that was down is up, or there is a new address or route.
/// rtnetlink(7)
package final class NetworkWatch: Sendable {
    // Set in init and only read afterwards.
    nonisolated(unsafe) private let source: any DispatchSourceRead

    /// Starts to watch the network.
    ///
    /// - Parameter tell: called on a queue of its own, perhaps several times each time the network comes back.
    /// - Returns: nil when the system does not report changes of the network.
    package init?(tell: @escaping @Sendable () -> Void) {
        let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(Int32(CLINUX_AF_NETLINK), type, Int32(CLINUX_NETLINK_ROUTE))
        if descriptor < 0 { return nil }
        var address = clinux_netlink_address(
            family: UInt16(CLINUX_AF_NETLINK), padding: 0, process: 0, groups: UInt32(CLINUX_GROUPS))
        let size = socklen_t(MemoryLayout.size(ofValue: address))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        if result != 0 {
            close(descriptor)
            return nil
        }
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "utter.outbox.network"))
        // Only the source's queue touches it.
        var links = DownLinks()
        source.setEventHandler { if Self.readAll(descriptor, &links) { tell() } }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    deinit { source.cancel() }

    /// - Returns: whether something that was read means that the network may be back.
    private static func readAll(_ descriptor: Int32, _ links: inout DownLinks) -> Bool {
        var isBack = false
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
            while true {
                let count = recv(descriptor, buffer.baseAddress!, buffer.count, 0)
                // The kernel dropped messages, so anything may have happened.
                if count < 0, errno == ENOBUFS { isBack = true } else if count <= 0 { return }
                if count > 0, links.meansBack(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { isBack = true }
            }
        }
        return isBack
    }
}

/// The network interfaces that are down, from the messages of rtnetlink(7). Pure.
struct DownLinks {
    /// The indices of the interfaces that are down. A message about an interface alone does not mean that it came up.
    private var indices: Set<Int32> = []

    /// Whether these messages mean that the network may be back.
    mutating func meansBack(_ messages: UnsafeRawBufferPointer) -> Bool {
        var isBack = false
        var offset = 0
        let headerSize = MemoryLayout<clinux_netlink_header>.size
        while offset + headerSize <= messages.count {
            let header = messages.loadUnaligned(fromByteOffset: offset, as: clinux_netlink_header.self)
            let end = offset + Int(header.length)
            guard Int(header.length) >= headerSize, end <= messages.count else { break }
            switch Int(header.type) {
            case CLINUX_RTM_NEWADDR, CLINUX_RTM_NEWROUTE: isBack = true
            case CLINUX_RTM_NEWLINK:
                guard end - offset >= headerSize + MemoryLayout<clinux_link_message>.size else { break }
                let link = messages.loadUnaligned(fromByteOffset: offset + headerSize, as: clinux_link_message.self)
                if link.flags & UInt32(CLINUX_IFF_RUNNING) == 0 {
                    indices.insert(link.index)
                } else if indices.remove(link.index) != nil {
                    isBack = true
                }
            default: break
            }
            // Each message begins at a multiple of four bytes.
            offset += (Int(header.length) + 3) & ~3
        }
        return isBack
    }
}
