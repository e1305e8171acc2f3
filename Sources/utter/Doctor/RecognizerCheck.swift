import Glibc
import System

/// Checks whether the libvosk that the dynamic loader found has all functions that utter calls.
struct RecognizerCheck {
    /// The functions of `vosk.h` that utter calls.
    static let neededFunctions = [
        "vosk_model_new", "vosk_model_free", "vosk_model_find_word", "vosk_recognizer_new", "vosk_recognizer_new_grm",
        "vosk_recognizer_set_max_alternatives", "vosk_recognizer_set_words", "vosk_recognizer_set_partial_words",
        "vosk_recognizer_accept_waveform_s", "vosk_recognizer_result", "vosk_recognizer_partial_result",
        "vosk_recognizer_final_result", "vosk_recognizer_free", "vosk_set_log_level",
    ]

    /// The finding about libvosk. dlsym(3)
    func finding() -> Finding {
        let subject = "libvosk"
        let missing = Self.neededFunctions.filter { dlsym(nil, $0) == nil }
        let place = path().map { ", \($0)" } ?? ""
        if !missing.isEmpty {
            return .broken(
                subject, "too old\(place): it lacks \(missing.joined(separator: ", "))",
                [.act("remove it, and run Scripts/setup in the folder of utter's sources")])
        }
        // The library does not report its version, but newer ones export more functions.
        let isNewer = dlsym(nil, "vosk_recognizer_set_endpointer_delays") != nil
        return .fine(subject, (isNewer ? "0.3.50 or newer" : "0.3.45, or newer but older than 0.3.50") + place)
    }

    /// The path of the library in this process's memory map. proc_pid_maps(5)
    private func path() -> String? {
        guard case .content(let maps) = SmallFile.read("/proc/self/maps") else { return nil }
        return String(decoding: maps, as: UTF8.self).split(separator: "\n").lazy.compactMap {
            $0.firstIndex(of: "/").map($0.suffix(from:))
        }
        .first { $0.contains("/libvosk.so") }.map(String.init)
    }
}
