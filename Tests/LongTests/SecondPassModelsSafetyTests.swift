import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests that the store is complete however the installation of a model of the second pass ends.
    @Suite struct SecondPassModelsSafety {
        private let sandbox = Sandbox()
        private let name = ServedModelFile.name
        private let library: [String: String]

        init() {
            // Without libtranscribe there would be a remark, which does not matter here.
            sandbox.put([], in: "libtranscribe.so")
            library = ["UTTER_LIBTRANSCRIBE": sandbox.path]
        }

        @Test("On a file system without hard links the model is installed by renaming")
        func noLinks() async throws {
            let served = try await ServedModelFile(sandbox)
            served.list()
            let finished = try await sandbox.models(
                "install", name, under: injecting("error=EPERM", at: "?link,?linkat"), environment: library)
            #expect(finished.end == .exited(0) && served.isInstalled && served.store == ServedModelFile.tidy)
        }

        @Test("A redirect from a secure address may only lead to secure ones")
        func secure() async throws {
            let served = try await ServedModelFile(sandbox)
            let server = try await SecureServer(
                sandbox,
                handler: """
                    class Handler(http.server.SimpleHTTPRequestHandler):
                        def log_message(self, *arguments): pass
                        def do_GET(self):
                            port = server.server_address[1]
                            places = {"/open": sys.argv[4] + "/plain/m.gguf", "/safe": f"https://localhost:{port}/m.gguf"}
                            if self.path not in places: return super().do_GET()
                            self.send_response(302)
                            self.send_header("Location", places[self.path])
                            self.end_headers()
                    os.chdir(sys.argv[3])
                    """, arguments: [sandbox.file("served"), served.server.address])
            defer { server.end() }
            let address = server.address
            let trusting = library.merging(["CURL_CA_BUNDLE": server.certificate]) { $1 }
            served.list(address + "/open")
            let open = try await sandbox.models("install", name, environment: trusting)
            open.expectEnd(
                69, errors: "utter: 127.0.0.1 does not speak HTTP, or leads to an address that is not safe to follow\n")
            #expect(served.server.requests == [] && served.store == ["model-list.json"])
            served.list(address + "/safe")
            #expect(
                try await sandbox.models("install", name, environment: trusting).errors.hasPrefix(
                    "utter: installed \(name)\n"))
            #expect(served.isInstalled)
        }
    }
}
