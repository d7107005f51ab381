"""Values and layouts of a task's inputs."""
