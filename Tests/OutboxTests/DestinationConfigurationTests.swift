import Testing

@testable import Outbox

struct DestinationConfigurationTests {
    private static let print = #""print": {"type": "command", "command": "lp -"}"#
    private static let vault = #""notes": {"type": "vault", "folder": "/diary"}"#

    private func configuration(_ json: String) throws -> DestinationConfiguration {
        try DestinationConfiguration(json: Array(json.utf8), path: "d.json", localVault: MarkdownVault(.own("/local")))
    }

    @Test(
        "The day's note is a destination beside others, unless it is taken away or another has its name or its folder",
        arguments: [
            ("{}", ["notes"], "/local"),
            ("{\(print)}", ["notes", "print"], "/local"),
            ("{\"notes\": true, \(print)}", ["notes", "print"], "/local"),
            ("{\(print), \"notes\": false}", ["print"], "/local"),
            ("{\(print), \(vault)}", ["print", "notes"], "/diary"),
            (#"{"mine": {"type": "vault", "folder": "/local/"}}"#, ["mine"], "/local"),
        ])
    func daysNote(_ json: String, _ names: [String], _ folder: String) throws {
        let configuration = try configuration(json)
        #expect(configuration.names == names)
        // Also where it is taken away: for what is sent there by name, or was queued before.
        #expect((configuration.handlers["notes"] as? VaultHandler)?.location.path == folder)
    }
}
