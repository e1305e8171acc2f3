// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
]

/// The long end-to-end tests. The quick tier does not even compile them; `make test-long` sets the variable.
let longTests: [Target] =
    Context.environment["UTTER_TIER"] != "long"
    ? []
    : [
        .testTarget(
            name: "LongTests", dependencies: ["FileFaults", "Models", "Outbox", "System", "utter", "TestSupport"],
            swiftSettings: strict)
    ]

/// The bundles of tests that BUNDLES names. The others are not compiled, either; without a name all are.
let bundles = (Context.environment["BUNDLES"] ?? "").split(separator: " ").map(String.init)

let package = Package(
    name: "utter",
    products: [
        .library(name: "Audio", targets: ["Audio"]),
        .library(name: "Models", targets: ["Models"]),
        .library(name: "Speech", targets: ["Speech"]),
        .library(name: "Outbox", targets: ["Outbox"]),
        .library(name: "TextRules", targets: ["TextRules"]),
        // The names of Apple's frameworks, for programs that were written for them.
        .library(name: "AVFoundation", targets: ["AVFAudio", "AVFoundation"]),
        .library(name: "CoreMedia", targets: ["CoreMedia"]),
        .executable(name: "utter", targets: ["utter"]),
    ],
    targets: [
        .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "CVosk", pkgConfig: "vosk"),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CTranscribe"),
        .systemLibrary(name: "CSampleRate", pkgConfig: "samplerate", providers: [.apt(["libsamplerate0-dev"])]),
        // Has the program become a worker of the second engine before its main.
        .target(name: "CWorkerStart"),
        .target(name: "System", dependencies: ["CLinux"], swiftSettings: strict),
        .target(name: "Audio", dependencies: ["CALSA", "CSampleRate", "System"], swiftSettings: strict),
        .target(
            name: "Models", dependencies: ["System"], exclude: ["BuiltIn/README.md", "BuiltIn/whisper-tiny.en"],
            // For the programs of other packages, which have them beside themselves.
            resources: [
                .copy("BuiltIn/catalog.json"), .copy("BuiltIn/second-pass.json"), .copy("BuiltIn/silero-vad"),
                .copy("BuiltIn/spoken-sentence"), .copy("BuiltIn/vosk-model-tiny-en"),
            ], swiftSettings: strict),
        .target(
            name: "Speech",
            dependencies: ["Audio", "CLinux", "CTranscribe", "CVosk", "CWorkerStart", "Models", "System"],
            swiftSettings: strict),
        .target(name: "Outbox", dependencies: ["CLinux", "System"], swiftSettings: strict),
        .target(name: "TextRules", swiftSettings: strict),
        .executableTarget(
            name: "utter", dependencies: ["Audio", "CLinux", "Models", "Outbox", "Speech", "System", "TextRules"],
            swiftSettings: strict),
        .target(name: "CoreMedia", dependencies: ["Speech"], path: "Compatibility/CoreMedia", swiftSettings: strict),
        .target(
            name: "AVFAudio", dependencies: ["Audio", "CoreMedia", "Speech", "System"], path: "Compatibility/AVFAudio",
            swiftSettings: strict),
        .target(
            name: "AVFoundation", dependencies: ["AVFAudio"], path: "Compatibility/AVFoundation",
            swiftSettings: strict),
        .executableTarget(
            name: "LiveCaptions", dependencies: ["Audio", "Speech"], path: "Examples/LiveCaptions",
            swiftSettings: strict),
        .target(name: "TestEnvironment", path: "Tests/TestEnvironment", exclude: ["Devices"]),
        .target(
            name: "TestSupport", dependencies: ["TestEnvironment"], path: "Tests/TestSupport", exclude: ["Server"],
            swiftSettings: strict),
        .testTarget(
            name: "AudioTests", dependencies: ["Audio", "CALSA", "System", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "SpeechTests",
            dependencies: ["CLinux", "CTranscribe", "FileFaults", "Models", "Speech", "System", "TestSupport"],
            exclude: ["SecondPass/Support/scripted-library.c", "SecondPass/Support/scripted-worker.py"],
            swiftSettings: strict),
        .testTarget(
            name: "CompatibilityTests", dependencies: ["AVFoundation", "Audio", "Speech", "TestSupport"],
            swiftSettings: strict),
        .testTarget(name: "TextRulesTests", dependencies: ["TestSupport", "TextRules"], swiftSettings: strict),
        .target(name: "FileFaults", dependencies: ["System"], path: "Tests/FileFaults", swiftSettings: strict),
        .executableTarget(
            name: "OutboxRig", dependencies: ["Outbox", "System"], path: "Tests/OutboxRig", swiftSettings: strict),
        .testTarget(
            name: "OutboxTests", dependencies: ["FileFaults", "Outbox", "OutboxRig", "System", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "CommandTests", dependencies: ["FileFaults", "Models", "Outbox", "System", "utter", "TestSupport"],
            exclude: ["Golden", "Snapshots"], swiftSettings: strict),
        .testTarget(
            name: "CorpusTests",
            dependencies: ["Audio", "Models", "Outbox", "Speech", "System", "utter", "TestSupport"],
            swiftSettings: strict),
    ] + longTests
)

if !bundles.isEmpty {
    package.targets.removeAll { $0.type == .test && !bundles.contains($0.name) }
    // They run the program, which else CommandTests has built.
    package.targets.first { $0.name == "SpeechTests" }?.dependencies.append("utter")
}
