/// How a program takes part in the sound of the machine. There is nothing to set on Linux, so all of this does nothing.
public final class AVAudioSession: Sendable {
    /// The purpose of the sound.
    public enum Category: Hashable, Sendable {
        /// To record.
        case record
        /// To play.
        case playback
        /// Both.
        case playAndRecord
    }

    /// What the sound is used for.
    public enum Mode: Hashable, Sendable {
        /// None of the others.
        case `default`
        /// To measure it.
        case measurement
        /// Speech.
        case spokenAudio
        /// A conversation.
        case voiceChat
    }

    /// How the sound mixes with that of other programs.
    public struct CategoryOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt
        /// Creates options of bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// With that of others.
        public static let mixWithOthers = CategoryOptions(rawValue: 1)
        /// That of others becomes quieter.
        public static let duckOthers = CategoryOptions(rawValue: 2)
        /// Headsets by Bluetooth.
        public static let allowBluetooth = CategoryOptions(rawValue: 4)
        /// The loudspeaker.
        public static let defaultToSpeaker = CategoryOptions(rawValue: 8)
    }

    /// What happens at an activation.
    public struct SetActiveOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt
        /// Creates options of bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Others are told of the end.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    private init() {}
    private static let shared = AVAudioSession()

    /// The only one.
    public static func sharedInstance() -> AVAudioSession { shared }
    /// Does nothing.
    public func setCategory(_ category: Category, mode: Mode = .default, options: CategoryOptions = []) throws {}
    /// Does nothing.
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {}
}

/// The program, for the system's sound.
public enum AVAudioApplication {
    /// Answers whether the program may record: yes. An answer of the system is an error of the microphone's start.
    public static func requestRecordPermission(completionHandler: @escaping @Sendable (Bool) -> Void) {
        completionHandler(true)
    }

    /// Returns whether the program may record: yes.
    public static func requestRecordPermission() async -> Bool { true }
}
