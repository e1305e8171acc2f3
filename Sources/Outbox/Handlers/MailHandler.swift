import Foundation
import Glibc
import System

/// Sends each capture by mail, with the interface that sendmail, postfix, exim, opensmtpd and msmtp share: `sendmail -t -i`.
///
/// A mail may be sent twice: if this process is killed after sendmail took a mail and before that is on the disk, it is sent
/// again, with the same Message-ID, by which mail programs and many servers recognize it.
public struct MailHandler: OutboxHandler, ProgramHandler {
    private let recipient: String
    private let sender: String?
    /// The program and its arguments.
    private let words: [String]
    private let timeLimit: Duration

    /// Creates a handler that sends mails to one address.
    ///
    /// - Parameters:
    ///   - recipient: the address of the recipient.
    ///   - sender: the address of the sender; nil leaves it to sendmail.
    ///   - program: the mail program, with arguments that go before `-t -i`: `msmtp -a work`.
    ///   - timeLimit: how long the mail program may run.
    /// - Throws: `OutboxError` with the code `invalid` when an address is not valid or `program` is empty.
    public init(
        to recipient: String, from sender: String? = nil, program: String = "sendmail",
        timeLimit: Duration = .seconds(120)
    ) throws(OutboxError) {
        for address in [recipient, sender].compactMap({ $0 }) {
            if let complaint = MailMessage.complaint(aboutAddress: address) {
                throw OutboxError(.invalid, path: "", complaint)
            }
        }
        words = program.split(separator: " ").map(String.init)
        if words.isEmpty { throw OutboxError(.invalid, path: "", "the mail program has no name") }
        self.recipient = recipient
        self.sender = sender
        self.timeLimit = timeLimit
    }

    public var whatIsMissing: String? { BoundedProgram.isThere(Self.path(of: words[0])) ? nil : noProgram }

    private var noProgram: String { "\(words[0]) is not installed; install a mail transfer agent, such as msmtp-mta" }

    public func deliver(_ operation: OutboxOperation) async -> DeliveryOutcome { await attempt(operation).outcome }

    package func attempt(_ operation: OutboxOperation) async -> (outcome: DeliveryOutcome, words: [UInt8]) {
        guard let capture = CapturedText(payload: operation.payload) else { return (.notACapture, []) }
        let message = MailMessage(
            recipient: recipient, sender: sender, text: capture.text, date: capture.capturedAt,
            timeZone: capture.timeZone,
            identifier: operation.id.name)
        let finished = await BoundedProgram(
            Self.path(of: words[0]), words.dropFirst() + ["-t", "-i"], input: message.bytes, timeLimit: timeLimit
        ).run()
        return (outcome(of: finished.end), finished.errors)
    }

    private func outcome(of end: BoundedProgram.End) -> DeliveryOutcome {
        switch end {
        case .exited(let status) where Self.needsUser.contains(status):
            .needsUser(reason: "\(words[0]) refused the mail with exit status \(status)")
        case .exited(127): .needsUser(reason: "\(words[0]) can't be run")
        case .notStarted(ENOENT): .needsUser(reason: noProgram)
        default: end.outcome(of: words[0], within: timeLimit, network: Self.network)
        }
    }

    /// sysexits.h: EX_USAGE, EX_DATAERR, EX_NOUSER, EX_NOPERM, EX_CONFIG.
    private static let needsUser: Set<Int32> = [64, 65, 67, 77, 78]
    /// EX_NOHOST, EX_UNAVAILABLE, EX_TEMPFAIL.
    private static let network: Set<Int32> = [68, 69, 75]

    /// The path of a mail program. sendmail is looked up in its usual folders, which are seldom on a user's `PATH`.
    private static func path(of program: String) -> String {
        guard program == "sendmail" else { return program }
        return ["/usr/sbin/sendmail", "/usr/lib/sendmail"].first { access($0, X_OK) == 0 } ?? program
    }
}
