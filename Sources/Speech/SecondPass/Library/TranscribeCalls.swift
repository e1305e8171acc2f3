import CTranscribe
import Glibc
import Models

/// The functions of libtranscribe, which is loaded at run time: utter can be built without it, and then works with one
/// pass. A test can replace each to see what its failure does.
typealias TranscribeCalls = transcribe_functions

extension TranscribeCalls {
    /// The only supported version. Before 1.0 anything may change between two versions.
    static let supportedVersion = "0.4.1"

    /// Loads the library for the rest of the process's life. dlopen(3)
    ///
    /// - Throws: `WorkerFailure` if the library can't be loaded or lacks a function.
    init(folder: String) throws(WorkerFailure) {
        let path = folder + "/" + SecondPassFiles.libraryName
        guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            let reason = dlerror().map { String(cString: $0) } ?? "the reason is not known"
            throw WorkerFailure(kind: .library, sentence: "\(path) can't be loaded: \(reason)")
        }
        self.init()
        var place: Int32 = 0
        while let name = transcribe_function_name(place) {
            guard let address = dlsym(library, name) else {
                let needed = "version \(Self.supportedVersion) is needed"
                throw WorkerFailure(
                    kind: .library, sentence: "\(path) has no function \(String(cString: name)); \(needed)")
            }
            withUnsafeMutableBytes(of: &self) {
                $0.storeBytes(
                    of: address, toByteOffset: Int(place) * MemoryLayout.size(ofValue: address),
                    as: UnsafeMutableRawPointer.self)
            }
            place += 1
        }
    }

    /// Compares the library with the declarations in `transcribe.h`.
    ///
    /// - Throws: `WorkerFailure` if the version or the layout of a structure is another.
    func check() throws(WorkerFailure) {
        let found = version().map { String(cString: $0) } ?? "unknown"
        guard found == Self.supportedVersion else {
            throw WorkerFailure(
                kind: .library,
                sentence:
                    "libtranscribe is version \(found), and utter works with \(Self.supportedVersion); to get that: Scripts/setup"
            )
        }
        func isSame<Structure>(_ number: Int, _ type: Structure.Type) -> Bool {
            structSize(Int32(number)) == MemoryLayout<Structure>.size
                && structAlignment(Int32(number)) == MemoryLayout<Structure>.alignment
        }
        let isAllSame =
            isSame(TRANSCRIBE_ABI_LOAD, transcribe_load.self)
            && isSame(TRANSCRIBE_ABI_SESSION, transcribe_session_setup.self)
            && isSame(TRANSCRIBE_ABI_RUN, CTranscribe.transcribe_run.self)
            && isSame(TRANSCRIBE_ABI_STREAM, transcribe_stream.self)
            && isSame(TRANSCRIBE_ABI_STREAM_UPDATE, transcribe_stream_update.self)
            && isSame(TRANSCRIBE_ABI_STREAM_TEXT, transcribe_stream_text.self)
            && isSame(TRANSCRIBE_ABI_CAPABILITIES, transcribe_capabilities.self)
            && isSame(TRANSCRIBE_ABI_SEGMENT, transcribe_segment.self)
            && isSame(TRANSCRIBE_ABI_WORD, transcribe_word.self)
            && isSame(TRANSCRIBE_ABI_TOKEN, transcribe_token.self)
            && isSame(TRANSCRIBE_ABI_EXTENSION, transcribe_extension.self)
        guard isAllSame else {
            throw WorkerFailure(
                kind: .library,
                sentence:
                    "libtranscribe \(found) is built differently from the one that utter works with; to get that: Scripts/setup"
            )
        }
    }
}
