import Models

extension ModelStore {
    /// Checks a model's files and loads it, which takes as much memory as using it. A damaged model may crash the process, or never return:
    /// where that matters, use `verifyFiles(of:)` and load the model in another process.
    ///
    /// - Throws: `SpeechError` `.modelIncomplete` that names the files that are missing or changed, `.modelLoadFailed`.
    public func verify(_ model: InstalledModel) async throws -> Verification {
        let verification = try await verifyFiles(of: model)
        if model.pass == .second {
            let silence = [Int16](repeating: 0, count: TranscribeModel.sampleRate)
            switch try await SecondPassModel.installed(model.path).probe(silence) {
            case .works: return verification
            case .refused(let reason): throw SpeechError(.modelLoadFailed, reason)
            case .crashed, .late, .failed:
                throw SpeechError(
                    .modelLoadFailed,
                    "libtranscribe does not survive the model \(model.path); it may be damaged or made for another version"
                )
            }
        }
        _ = try await ModelCache.shared.engine(
            ModelReference(path: model.path), endpointing: Endpointing(), retention: .whileInUse)
        return verification
    }
}
