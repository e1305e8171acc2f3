import Foundation
import Testing

@testable import utter

struct OutboxTableTests {
    private func row(_ id: String, age: Double = 300, to destination: String = "work", text: String = "call Ada back")
        -> OutboxTable.Row
    {
        OutboxTable.Row(
            id: UUID(uuidString: id)!, age: age, destination: destination,
            standing: "tried twice: the web hook answered 503", text: text)
    }

    private let ids = ["0190aaaa-0000-7000-8000-000011111111", "0190aaaa-0000-7000-8000-000022222222"]

    @Test(
        "A row has eight characters of the id, the age, the destination, the first words and why it waits, in columns")
    func columns() {
        let table = OutboxTable(rows: [row(ids[0]), row(ids[1], age: 7200 * 30, to: "me", text: "buy milk\nand bread")])
        #expect(
            table.lines(width: 100) == [
                "11111111  5 min   work  call Ada back       tried twice: the web hook answered 503",
                "22222222  2 days  me    buy milk and bread  tried twice: the web hook answered 503",
            ])
    }

    @Test("If eight characters are not unique, there are as many as needed")
    func longerIDs() {
        let alike = ["0190aaaa-0000-7000-8000-0000a1111111", "0190aaaa-0000-7000-8000-0001a1111111"]
        #expect(
            OutboxTable(rows: alike.map { row($0) }).lines(width: 100).map { $0.prefix(11) } == [
                "0a1111111  ", "1a1111111  ",
            ])
    }

    @Test("Whatever the width, a row fits and has no control characters", arguments: [true, false])
    func fits(isUTF8: Bool) {
        let long = row(
            ids[0], to: String(repeating: "destination", count: 4),
            text: "\u{1B}[31m" + String(repeating: "漢字 words ", count: 9))
        let table = OutboxTable(rows: [long, row(ids[1])], isUTF8: isUTF8)
        for width in 1..<140 {
            for line in table.lines(width: width) {
                #expect(displayWidth(line) < width && !line.unicodeScalars.contains("\u{1B}"), "\(width): \(line)")
                #expect(isUTF8 || !line.contains("…"))
            }
        }
        #expect(table.lines(width: 80)[0].hasPrefix("11111111  5 min  "))
    }

    @Test("Ages are in one unit")
    func ages() {
        #expect(
            [-5, 0, 59.9, 60, 3599, 3600, 172_799, 172_800].map(OutboxTable.age) == [
                "0 s", "0 s", "59 s", "1 min", "59 min", "1 h", "47 h", "2 days",
            ])
    }
}
