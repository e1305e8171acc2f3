import Foundation

@testable import Outbox

/// The payload of a capture: it is the same after it is written and read again.
enum CaptureSubject {
    static func check(_ bytes: [UInt8]) {
        guard let capture = CapturedText(payload: Data(bytes)) else { return }
        let payload = capture.payload
        let again = require(CapturedText(payload: payload), "a capture that was written can be read")
        require(isSame(again.text, capture.text) && isSame(again.notesFolder, capture.notesFolder), "the same words")
        require(
            abs(again.capturedAt.timeIntervalSince(capture.capturedAt)) <= 0.000_51, "the same time to the millisecond")
        // A time zone without a known name is read by its offset, which Foundation names by hours and minutes.
        let zones = [again, capture].map { $0.timeZone.secondsFromGMT(for: again.capturedAt) }
        require(abs(zones[0] - zones[1]) < 60, "the same time zone to the minute")
        require(
            CapturedText(payload: again.payload)?.payload == again.payload,
            "from then on each writing is as the one before")

        let shape = again.timestamp.utf8.map { (0x30...0x39).contains($0) ? UInt8(ascii: "0") : $0 }
        require(
            ["0000-00-00T00:00:00+00:00", "0000-00-00T00:00:00-00:00"].contains(String(decoding: shape, as: UTF8.self)),
            "a timestamp: \(again.timestamp)")
    }
}
