"""The parts of Scripts/whisper-to-gguf."""
