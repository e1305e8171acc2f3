import CLinux
import Dispatch
import Glibc

/// Tells that the network may have come back: an interface is up that was down, or there is a new address or route.
/// rtnetlink(7)
package final class NetworkWatch: Sendable {
    // Set in init and only read after that.
    nonisolated(unsafe) private let source: any DispatchSourceRead

    /// - Parameter tell: called on a queue of its own, perhaps several times for one coming back.
    /// - Returns: nil where the system doesn't tell.
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
                // Messages were lost: then anything may have happened.
                if count < 0, errno == ENOBUFS { isBack = true } else if count <= 0 { return }
                if count > 0, links.meansBack(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { isBack = true }
            }
        }
        return isBack
    }
}

/// Reads rtnetlink's messages. Pure.
struct DownLinks {
    /// By their numbers, since a link is told of for many other reasons than being up again.
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
            // Each begins at a multiple of four.
            offset += (Int(header.length) + 3) & ~3
        }
        return isBack
    }
}
