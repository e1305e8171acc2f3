import Foundation
import System

/// What a web hook's answer means for a delivery.
extension HTTPHead {
    /// Finds the answer in what curl writes with `dump-header`: the first head that is not interim, such as 100 Continue. Fields after
    /// the body are no part of it.
    ///
    /// - Returns: nil unless the head is complete, with its empty line.
    init?(ofAnswerIn bytes: [UInt8]) {
        var rest = bytes[...]
        while let end = HTTPHead.end(in: rest), let head = HTTPHead(rest[..<end]) {
            if head.status >= 200 {
                self = head
                return
            }
            rest = rest[end...]
        }
        return nil
    }

    /// The pause that the field Retry-After asks for, in seconds or as a date; nil when there is none.
    func pause(now: Date) -> Duration? {
        guard let value = fields["retry-after"] else { return nil }
        if let seconds = Int(value) { return .seconds(max(0, min(seconds, 1 << 32))) }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        guard let date = formatter.date(from: value) else { return nil }
        return .seconds(max(0, min(date.timeIntervalSince(now).rounded(.up), 1e9)))
    }

    /// The outcome of the attempt that got this answer.
    ///
    /// - Parameters:
    ///   - mayHaveArrived: whether an earlier attempt may have reached the web hook.
    ///   - proxy: the proxy that may have answered instead of the web hook.
    func outcome(now: Date, mayHaveArrived: Bool, proxy: HTTPProxy? = nil) -> DeliveryOutcome {
        switch status {
        case 200..<300: return .delivered
        // The web hook knows the Idempotency-Key, so an earlier attempt arrived. Without one it can't know the key.
        case 409 where mayHaveArrived: return .delivered
        case 409:
            return .needsUser(
                reason:
                    "the web hook answered 409, a conflict, to what it can't have got before; look there, then retry or clear it"
            )
        case 300..<400:
            return .needsUser(
                reason: "the web hook answered \(status) and wants to send us elsewhere; set its final address")
        case 407 where proxy != nil: return .proxyWantsPassword(proxy)
        case 408, 425, 429: return .failed(reason: "the web hook answered \(status)", after: pause(now: now))
        case 400..<500:
            if let proxy {
                return .needsUser(
                    reason:
                        "the web hook, or \(proxy.phrase) before it, answered \(status); look at the address, the secret and the proxy"
                )
            }
            return .needsUser(reason: "the web hook answered \(status); look at its address and its secret")
        case 500..<600:
            let answerer = proxy.map { "the web hook, or \($0.phrase) before it," } ?? "the web hook"
            return .failed(reason: "\(answerer) answered \(status)", after: pause(now: now))
        default: return .failed(reason: "the web hook did not answer as a web server does", isNetwork: true)
        }
    }
}

extension DeliveryOutcome {
    /// The outcome when a proxy, which may not be known, asks for a password.
    static func proxyWantsPassword(_ proxy: HTTPProxy?) -> DeliveryOutcome {
        .needsUser(
            reason: "\(proxy?.phrase ?? "the proxy") wants a user name and a password (407); set them in "
                + "\(proxy?.variable ?? "https_proxy")")
    }
}
