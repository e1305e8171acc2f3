// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nothing of it is built with utter. `make fuzz` builds and runs it; see `Fuzzing/run --help`.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "Fuzzing",
    dependencies: [.package(name: "utter", path: "..")],
    targets: [
        .systemLibrary(name: "CFuzzer"),
        // A command can't be imported, so what of it reads untrusted bytes is compiled once more; the files are links.
        // The libraries are there for their imports of System.
        .target(name: "Command", dependencies: [.product(name: "Outbox", package: "utter")], swiftSettings: strict),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CFuzzer", "Command", .product(name: "Audio", package: "utter"),
                .product(name: "Models", package: "utter"),
                .product(name: "Outbox", package: "utter"), .product(name: "Speech", package: "utter"),
            ], swiftSettings: strict),
    ]
)
