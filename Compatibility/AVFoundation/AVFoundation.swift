// AVFoundation has all of AVFAudio and of Core Media.
@_exported import AVFAudio
@_exported import CoreMedia
