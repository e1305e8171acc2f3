import Models

// What this library's own declarations take, return and throw of `Models`, under the same names for those who import this library alone.

/// The installation of one model.
public typealias ModelInstallation = Models.ModelInstallation
/// How far an installation is.
public typealias InstallationProgress = Models.InstallationProgress
/// Where models lie, which are installed, and which there are.
public typealias ModelStore = Models.ModelStore
/// Who has heard a text, and which of the two a model is for.
public typealias RecognitionPass = Models.RecognitionPass
/// Where the library and the models of the second pass lie.
public typealias SecondPassFiles = Models.SecondPassFiles
/// What went wrong in recognition, or with a model.
public typealias SpeechError = Models.SpeechError
/// Which model to use.
public typealias ModelReference = Models.ModelReference
