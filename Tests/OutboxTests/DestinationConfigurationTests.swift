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

    @Test(
        "An error in the file of destinations is told with its place",
        arguments: [
            ("[]", "it is not a JSON object of destinations by their names"),
            (#"{"a":{},"a":{}}"#, "in line 1, column 9 the name 'a' is there twice"),
            (
                #"{"notes":false}"#,
                "it takes the day's note away and names no other destination: what is said would go nowhere"
            ),
            (#"{"a":false}"#, "the destination 'a' is not a JSON object with a type"),
            (#"{"":{"type":"command","command":"x"}}"#, "the destination '' is not a JSON object with a type"),
        ])
    func wrongFile(_ json: String, _ sentence: String) { #expect(complaint(json) == "d.json: " + sentence) }

    @Test(
        "An error in a destination is told with its name",
        arguments: [
            ("", "'type' is missing"), (#""type":7"#, "'type' is no text"),
            (#""type":"fax""#, "'fax' is no type of destination: choose vault, mail, webhook or command"),
            (#""type":"vault""#, "'folder' is missing"),
            (#""type":"vault","folder":"notes""#, "'folder' is not a path that begins with / or ~/"),
            (
                #""type":"vault","folder":"/x","line":"- {time}""#,
                "a line template needs {text} once, as in '- {time} {text}'"
            ),
            (
                #""type":"vault","folder":"/x","line":"{text}\n""#,
                "a line template is one line, as in '- {time} {text}'"
            ),
            (#""type":"vault","folder":"/x","heading":" ""#, "'heading' is no text"),
            (#""type":"vault","folder":"/x","to":"y""#, "'to' is not known here; it takes folder, heading, line"),
            (#""type":"mail""#, "'to' is missing"),
            (#""type":"mail","to":"me""#, "'me' is not one mail address, as in me@example.org"),
            (#""type":"mail","to":"a@b","from":"c@d,e@f""#, "'c@d,e@f' is not one mail address, as in me@example.org"),
            (#""type":"mail","to":"a@b","program":" ""#, "'program' is no text"),
            (#""type":"webhook""#, "'url' is missing"),
            (
                #""type":"webhook","url":"ftp://x""#,
                "the web hook's address is not one that begins with https:// or http://"
            ),
            (
                #""type":"webhook","url":"http://x","bearer":"s3cret""#,
                #"a secret is given by its place: {"file": "PATH"} or {"environment": "NAME"}"#
            ),
            (
                #""type":"webhook","url":"http://x","bearer":{"file":"token"}"#,
                "'file' is not a path that begins with / or ~/"
            ),
            (
                #""type":"webhook","url":"http://x","headers":["X-Key"]"#,
                "'headers' is not a JSON object of secrets by the names of headers"
            ),
            (
                #""type":"webhook","url":"http://x","headers":{"X Key":{"environment":"A"}}"#,
                "'X Key' can't be the name of a header"
            ),
            (#""type":"command""#, "'command' is missing"),
        ])
    func wrong(_ members: String, _ sentence: String) {
        #expect(complaint("{\"a\":{\(members)}}") == "d.json: the destination 'a': " + sentence)
    }

    private func complaint(_ json: String) -> String? {
        do { _ = try configuration(json) } catch { return (error as? OutboxError)?.description }
        return nil
    }
}
